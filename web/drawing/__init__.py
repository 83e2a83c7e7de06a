"""Drawings of boards, positions and games: SVG for pages and downloads, GIF for whole games."""
