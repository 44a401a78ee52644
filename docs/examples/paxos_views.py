"""What others see of Paxos: the views by which it refines voting, and consensus."""

from paxos import decided, joined, vote

VOTING = {"joined": joined, "vote": vote}
"""Proposals and decisions are left out: a vote alone has to be safe."""
CONSENSUS = {"chosen": decided}
