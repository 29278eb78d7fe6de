"""A problem in the columns of the search, and trees and outcomes in both directions."""
