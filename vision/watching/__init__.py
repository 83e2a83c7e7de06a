"""Watch one table: its phases and its state, and the stages that a frame passes in ``vision.pipeline.step``."""
