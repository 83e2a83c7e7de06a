"""What all commands share: their parser, and the arguments that several have."""
