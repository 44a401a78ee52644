"""What the parts of a member ask of each other.

Each file is the contract of one part: what the others may call. The parts themselves, in packages of their own, do not
import each other.
"""
