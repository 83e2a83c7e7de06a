"""Cases: single steps of the pipeline, kept with all that they need to be tried again."""
