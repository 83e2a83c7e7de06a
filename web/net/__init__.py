"""The server and who may ask it: roles, connections, certificates, uploads, logs."""
