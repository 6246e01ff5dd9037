"""The serving runtime: its configuration record, the published namespaces, and the parts that use them."""
