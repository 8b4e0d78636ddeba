//go:build linux

package fidelity

import (
	"encoding/binary"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"simrun/clock"
	"simrun/nodes"
	"simrun/sim"
)

// patience is how long a test waits for a real server before it fails.
const patience = 20 * time.Second

// A redisServer is a real Redis on loopback, with a folder of its own, and with a
// wall clock that stands still unless the test moves it.
type redisServer struct {
	t       testing.TB
	program string
	preload string
	folder  string
	port    int
	options []string
	master  int // the port of its master when it starts, 0 for none
	clock   *os.File
	process *exec.Cmd
	conn    *wire
}

// startRedis starts a server with options as on its command line, its clock at
// clock.Epoch. It is killed at the end of the test.
func startRedis(t testing.TB, options ...string) *redisServer {
	t.Helper()
	s := &redisServer{t: t, program: need(t, "redis-server"), options: options, folder: t.TempDir(), port: freePort(t)}
	s.preload = filepath.Join(s.folder, "clock.so")
	compile := exec.Command(need(t, "gcc"), "-shared", "-fPIC", "-O2", "-o", s.preload, "testdata/redis_clock.c")
	if out, err := compile.CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%s", err, out)
	}
	var err error
	s.clock, err = os.Create(filepath.Join(s.folder, "clock"))
	s.must(err)
	s.must(s.clock.Truncate(16))
	s.set(clock.Epoch)
	t.Cleanup(func() {
		s.kill()
		s.clock.Close()
	})
	s.start()
	return s
}

// freePort returns a port that nobody listens on.
func freePort(t testing.TB) int {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

func (s *redisServer) must(err error) {
	s.t.Helper()
	if err != nil {
		log, _ := os.ReadFile(filepath.Join(s.folder, "log"))
		s.t.Fatalf("redis-server: %v\n%s", err, log)
	}
}

// start starts the server, or starts it again, and waits until it answers.
func (s *redisServer) start() {
	s.t.Helper()
	s.process = exec.Command(s.program, append([]string{
		"--bind", "127.0.0.1", "--port", strconv.Itoa(s.port), "--dir", s.folder, "--logfile", "log",
		"--unixsocket", "socket", "--save", "", "--enable-debug-command", "yes", "--hz", "500",
		"--repl-diskless-sync-delay", "0", "--repl-timeout", "1000000000",
		"--rdb-del-sync-files", "yes",
	}, s.options...)...)
	if s.master != 0 {
		s.process.Args = append(s.process.Args, "--replicaof", "127.0.0.1 "+strconv.Itoa(s.master))
	}
	s.process.Dir = s.folder
	s.process.Env = append(os.Environ(), "LD_PRELOAD="+s.preload, "SIMRUN_CLOCK="+s.clock.Name())
	s.process.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	s.must(s.process.Start())
	for begun := time.Now(); ; time.Sleep(time.Millisecond) {
		conn, err := dial("unix", filepath.Join(s.folder, "socket"))
		if err == nil {
			s.conn = conn
			break
		}
		if time.Since(begun) > patience {
			s.must(err)
		}
	}
	for s.ask("PING") != nodes.Status("PONG") {
		time.Sleep(time.Millisecond) // it is loading what it had stored
	}
	// From here on dead keys are found by those who name them alone, as on the
	// other side; what is dead already goes, whether or not the server came to it.
	s.ask("DEBUG", "SET-ACTIVE-EXPIRE", "0")
	s.sweep()
}

// sweep does what an active expire cycle does: a master removes all dead keys.
func (s *redisServer) sweep() {
	s.t.Helper()
	s.ask("EVAL", "redis.call('SCAN', 0, 'COUNT', 1000)", "0")
}

// kill ends the server as kill -9 does.
func (s *redisServer) kill() {
	if s.process == nil {
		return
	}
	s.process.Process.Kill()
	s.process.Wait()
	if s.conn != nil {
		s.conn.Close()
	}
	os.Remove(filepath.Join(s.folder, "socket"))
	s.process = nil
}

// set sets the server's wall clock.
func (s *redisServer) set(now clock.Wall) {
	_, err := s.clock.WriteAt(binary.NativeEndian.AppendUint64(nil, uint64(now)), 0)
	s.must(err)
}

// ask returns the server's reply to a command.
func (s *redisServer) ask(words ...string) sim.Reply {
	s.t.Helper()
	s.must(s.conn.send(words...))
	return s.answer()
}

func (s *redisServer) answer() sim.Reply {
	s.t.Helper()
	s.must(s.conn.SetReadDeadline(time.Now().Add(patience)))
	reply, err := s.conn.receive()
	s.must(err)
	return reply
}

// freeze stops the server, and returns when it has stopped.
func (s *redisServer) freeze() {
	s.t.Helper()
	s.must(s.process.Process.Signal(syscall.SIGSTOP))
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(s.process.Process.Pid, &status, syscall.WUNTRACED, nil); err != nil || !status.Stopped() {
		s.t.Fatalf("redis-server does not stop: %v, %v", status, err)
	}
}

// thaw lets a stopped server go on.
func (s *redisServer) thaw() {
	s.t.Helper()
	s.must(s.process.Process.Signal(syscall.SIGCONT))
}
