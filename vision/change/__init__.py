"""Change detection: the last accepted look and this one in, log odds of a change at each point out."""
