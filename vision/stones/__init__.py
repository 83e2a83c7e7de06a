"""What lies on each point: appearance of stones and bare points, likelihoods, and the reader of single photographs."""
