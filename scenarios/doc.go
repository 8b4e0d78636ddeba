// Package scenarios holds the stories that simrun is there to tell, as text
// that anybody can read, change and run again.
//
// A scenario is a script in the folder scripts, and its name is the name of
// the file: scripts/article-1/demo_2_plain_del.txt is demo-2-plain-del. A
// script says what is to happen, and below a line what did happen when it was
// last recorded:
//
//	# A plain DEL deletes the lock of another client.
//	#
//	# More about it, in as many lines as it takes.
//	protocol setnx clients 2 rounds 1 ttl 1s work 500ms
//	breaks mutual-exclusion, own-release
//	noise seed 1 from 1ms to 1ms
//	client A starts at 0s works 500ms rounds 1
//	client B starts at 1.1s works 500ms rounds 1
//	overrun A round 1 for 1s
//	---
//	[    2.0 ms] A: SET lock A#1 NX PX 1000 -> OK, holds the lock as A#1
//	…
//
// The first sentence is the title. Of the protocol's parameters (clients,
// rounds, nodes, ttl, work, token) those that are left out are as usual for
// it. The schedule is read by [sim.ParseSchedule]; every fault in it must
// strike. What stands above the line is for people to write, what stands below
// is written by
//
//	go test ./scenarios -update
//
// A run that breaks other checks than its script says is wrong even then.
package scenarios
