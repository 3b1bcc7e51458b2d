# SPDX-License-Identifier: BSD-2-Clause
# Prints the same text on every system. The first argument is the directory that it may use.
import collections, contextlib, errno, fcntl, json, mmap, os, queue, re, resource, select
import selectors, signal, socket, struct, subprocess, sys, tempfile, threading, time

os.chdir(sys.argv[1])
print(json.dumps({"list": [1, 2.5, None], "text": re.sub("a+", "b", "caaat")}))
print(collections.Counter("hello").most_common(1))

# Threads.
results, counted, lock = queue.Queue(), [0], threading.Lock()
def work(number):
    for i in range(1000):
        with lock:
            counted[0] += 1
    results.put(number)
threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(counted[0], sorted(results.queue))
event = threading.Event()
threading.Timer(0.05, event.set).start()
print(event.wait(5), event.wait(0))

# Processes.
pid = os.fork()
if pid == 0: os._exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
print(subprocess.run([sys.executable, "-c", "print(6*7)"], capture_output=True, text=True).stdout.strip())
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(100)"])
child.terminate()
print(child.wait())
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt > 0)

# Signals.
caught = []
signal.signal(signal.SIGALRM, lambda number, frame: caught.append(number))
signal.setitimer(signal.ITIMER_REAL, 0.02)
time.sleep(0.1)
print(caught == [signal.SIGALRM])
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
os.kill(os.getpid(), signal.SIGUSR1)
print(signal.sigwait([signal.SIGUSR1]) == signal.SIGUSR1)

# Files and descriptors.
with tempfile.NamedTemporaryFile(dir=".") as file:
    file.write(b"x" * 10000)
    file.flush()
    os.truncate(file.name, 5000)
    print(os.stat(file.name).st_size, os.path.basename(file.name) in os.listdir("."))
    with mmap.mmap(file.fileno(), 4096) as memory:
        memory[0:3] = b"abc"
    file.seek(0)
    print(file.read(4))
left, right = socket.socketpair()
left.send(b"over a socket")
print(right.recv(100))
poll = select.epoll()
poll.register(right, select.EPOLLIN)
print(poll.poll(0))
left.send(b"x")
print([events for _, events in poll.poll(1)])
for error in (lambda: open("none"), lambda: os.rmdir("."), lambda: os.read(99, 1), lambda: os.kill(4000000, 0)):
    try:
        error()
    except OSError as problem:
        print(errno.errorcode[problem.errno])
print(os.sched_getaffinity(0) != set(), os.cpu_count() > 0, len(os.urandom(16)))
