"""Each partition's namespace is a behaviour of `replicas`: what members record of replicas, validated by it."""
