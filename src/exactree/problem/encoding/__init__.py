"""Encoding of a problem in threshold columns, and decoding of trees and outcomes."""
