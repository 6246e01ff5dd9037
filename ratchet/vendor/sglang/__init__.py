"""The target library of the SGLang configuration migration, at the import paths of the engine itself."""
