package fidelity

var postgresTable = table{name: "postgres", rows: []row{
	{name: "BEGIN, COMMIT, ROLLBACK", how: pgSequences, limit: "warnings; isolation levels but the usual one"},
	{name: "UPDATE on a condition", how: pgSequences + ", with and without `status = 'PENDING'`", limit: pgCrowd},
	{name: "INSERT of a unique key", how: pgSequences, limit: "who is served first of several that wait for one inserter"},
	{name: "UPDATE with a token", how: pgSequences + "; tokens that grow, and random ones", limit: pgCrowd},
	{name: "SELECT … FOR UPDATE", how: pgSequences, limit: pgCrowd},
	{name: "UPDATE of the row", how: pgSequences, limit: pgCrowd},
	{name: "nextval", how: pgSequences, limit: "a log that is flushed in the background, before the next commit"},
	{name: "advisory locks of sessions", how: pgSequences + " on two keys"},
	{name: "advisory locks of transactions", how: pgSequences + " on two keys"},
	{name: "SELECT", how: pgSequences},
	{name: "a statement waits", how: "until the real server's log and its view of locks say so; all wake in the same step"},
	{name: "a deadlock", how: "who is refused, with two and more in it"},
	{name: "a client is gone before its answer", how: "the outcome is unknown to it: a COMMIT that nobody hears of, a statement that waits on by itself"},
	{name: "a client closes its connection", how: "without a word"},
	{name: "the server ends a connection", how: "pg_terminate_backend, for a client that has not answered the probes of the simulated server", limit: "a connection on which a statement waits; the keepalive of the kernel"},
	{name: "the server crashes", how: "kill -9 of one of its processes, whereupon all end and it recovers", limit: "a crash of its machine"},
}}

const (
	pgSequences = "random sequences of four clients"
	pgCrowd     = "who is served first of several that wait for a row that was changed"
)
