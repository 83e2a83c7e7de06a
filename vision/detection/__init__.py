"""Find an unknown board in one picture: which board it is, and where its points lie."""
