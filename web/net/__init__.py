"""The HTTP server and access to it: roles, tokens, certificate, uploads, health and logs."""
