"""How the published configuration is stored, guarded and written; import it from `runtime_context`."""
