"""Follow a known field from frame to frame: motion, occlusion, registration, finding it again."""
