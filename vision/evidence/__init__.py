"""Evidence of one look: what each cue says of every point, and the one fitted fusion of all cues."""
