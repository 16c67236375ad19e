"""Exact shortcuts: events that need not happen, left out without moving any other (see docs/spec/speed-notes.md).

checkcases.py --shortcuts replays with them.
"""
import heapq

import crossbar
import events
import packets
import system


class EventQueue(events.EventQueue):
    """Knows the number of the event that is executing, and lets an event be inserted late at a reserved place."""

    def __init__(self):
        super().__init__()
        self.current = 0                   # insertion number of the executing event

    def run(self, max_events):
        heap = self._heap
        while max_events:
            if self.stopped or not heap:
                return False
            when, _, minus_number, event = heapq.heappop(heap)
            if not event.scheduled or event.number != -minus_number:
                continue
            self.now = when
            self.current = -minus_number
            event.scheduled = False
            self.executed += 1
            max_events -= 1
            event.action()
        return True

    def reserve(self):
        """Takes the place in the order that an event scheduled now would have."""
        self._insertions += 1
        return self._insertions

    def schedule_reserved(self, event, when, number):
        assert not event.scheduled and when >= self.now
        event.scheduled = True
        event.when = when
        event.number = number
        heapq.heappush(self._heap, (when, event.priority, -number, event))

    def has_passed(self, when, number, reserved_in):
        """Would the event (when, number), reserved while the reserved_in-th event was executing, have run by now?"""
        if when != self.now:
            return when < self.now
        return reserved_in != self.executed and number > self.current      # last inserted first


class LazyLayer(crossbar.Layer):
    """A layer whose release is an event only if somebody waits for it; otherwise it is a time and a reserved place."""
    __slots__ = ("pending", "until", "number", "reserved_in")

    def __init__(self, bus):
        super().__init__(bus)
        self.pending = False

    def settle(self):
        if self.pending and self.bus.queue.has_passed(self.until, self.number, self.reserved_in):
            self.pending = False
            self.state = self.IDLE

    def someone_waits(self):
        if self.pending:
            self.pending = False
            self.bus.queue.schedule_reserved(self.release_event, self.until, self.number)

    def try_timing(self, source):
        self.settle()
        taken = super().try_timing(source)
        if not taken:
            self.someone_waits()
        return taken

    def occupy(self, until):
        queue = self.bus.queue
        if self.waiting:
            super().occupy(until)
            return
        self.occupancy += until - queue.now
        self.pending = True
        self.until = until
        self.number = queue.reserve()
        self.reserved_in = queue.executed

    def peer_retry(self):
        self.settle()
        self.someone_waits()
        super().peer_retry()


class NoQueue(packets.PacketQueue):
    """Nobody looks at the answers to fetches: they are dropped instead of queued."""
    __slots__ = ()

    def schedule_packet(self, packet, when):
        pass


class System(system.System):
    def build_caches(self):
        super().build_caches()
        for core in self.cores:
            core.instruction_cache.response_queue = NoQueue(self.queue, None, True)


def install():
    """Call before a System is made; returns the class to make it of."""
    system.EventQueue = EventQueue
    crossbar.Layer = LazyLayer
    return System
