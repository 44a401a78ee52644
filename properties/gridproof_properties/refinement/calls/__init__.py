"""Each call is a behaviour of `calls`: what members record of calls, validated by it."""
