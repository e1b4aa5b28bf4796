"""The properties of Table 4 of Nikolaou et al. (2016), decided from the implementation itself."""

from csb.properties._finding import Finding

__all__ = ["Finding"]
