"""What has changed since the last accepted look, point by point."""
