"""Cases: single steps of what sees, kept with all that they depend on, so that they can be tried again."""
