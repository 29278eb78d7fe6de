"""All optimal and near-optimal trees and ensembles, and trees of one shape."""
