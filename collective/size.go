package collective

// Count is how many elements of t one rank contributes when size bytes are asked
// for, as nccl-tests counts them: the whole buffer of a rank where every rank has
// the whole, otherwise its share of it, cut to a multiple of 16 bytes. Where
// nccl-tests would measure nothing, a share has 16 bytes.
func Count(kind string, ranks int, t Type, size int64) int {
	switch kind {
	case Barrier:
		return 0
	case AllGather, ReduceScatter, AllToAll, Gather, Scatter:
		share := size / int64(ranks) / 16 * 16
		return int(max(share, 16)) / t.Bytes()
	}
	return max(1, int(size)/t.Bytes())
}

// Size is the size that nccl-tests prints for an operation in which one rank's share
// has so many bytes; the inverse of Count.
func Size(kind string, ranks, block int) int64 {
	switch kind {
	case Barrier:
		return 0
	case AllGather, ReduceScatter, AllToAll, Gather, Scatter:
		return int64(block) * int64(ranks)
	}
	return int64(block)
}

// Lengths are the bytes that a rank's buffers have at least, for shares of block
// bytes.
func Lengths(kind string, rank, ranks, block int) (send, recv int) {
	root := rank == 0
	switch kind {
	case Barrier:
		return 0, 0
	case AllGather:
		return block, block * ranks
	case ReduceScatter:
		return block * ranks, block
	case AllToAll:
		return block * ranks, block * ranks
	case Gather:
		return block, only(root, block*ranks)
	case Scatter:
		return only(root, block*ranks), block
	case Broadcast:
		return only(root, block), block
	case Reduce:
		return block, only(root, block)
	}
	return block, block
}

func only(yes bool, n int) int {
	if yes {
		return n
	}
	return 0
}

// InPlace gives the buffers of an operation in place, where nccl-tests has them: the
// smaller one is the rank's own share of the larger one.
func InPlace(kind string, rank int, whole []byte, block int) (send, recv []byte) {
	share := func() []byte { return whole[rank*block : (rank+1)*block] }
	switch kind {
	case AllGather, Gather:
		return share(), whole
	case ReduceScatter, Scatter:
		return whole, share()
	}
	return whole, whole
}
