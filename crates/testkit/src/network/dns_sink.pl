# Runs a program in a network namespace whose only name server notes what it is asked and knows nobody.
#
#   perl dns_sink.pl LOG RESOLV_CONF PROGRAM ARGUMENTS…
#
# Must run in namespaces of its own (network and mounts). RESOLV_CONF is written and put in place of the system's.
use strict;
use warnings;
use IO::Socket::INET;

my ($log, $conf, @program) = @ARGV;

# A new namespace has a loopback device that is down: SIOCSIFFLAGS with IFF_UP.
socket(my $device, PF_INET, SOCK_DGRAM, 0) or die "socket: $!";
my $request = pack("a16 s x22", "lo", 1);
ioctl($device, 0x8914, $request) or die "lo: $!";

my $server = IO::Socket::INET->new(LocalAddr => "127.0.0.1", LocalPort => 53, Proto => "udp") or die "port 53: $!";
open(my $resolver, ">", $conf) or die "$conf: $!";
print $resolver "nameserver 127.0.0.1\noptions timeout:1 attempts:1\n";
close($resolver);
system("mount", "--bind", $conf, "/etc/resolv.conf") == 0 or die "mount";

my $sink = fork() // die "fork: $!";
if ($sink == 0) {
    while (defined(my $client = $server->recv(my $query, 4096))) {
        last if $query eq "";
        my ($name, $at) = ("", 12);
        while ($at < length($query) and my $length = ord(substr($query, $at, 1))) {
            $name .= substr($query, $at + 1, $length) . ".";
            $at += $length + 1;
        }
        open(my $noted, ">>", $log) or die "$log: $!";
        print $noted "$name\n";
        close($noted);
        # The question back, as an answer: there is no such name.
        my $id = substr($query, 0, 2);
        $server->send($id . pack("n5", 0x8183, 1, 0, 0, 0) . substr($query, 12, $at + 5 - 12), 0, $client);
    }
    exit 0;
}
my $status = system { $program[0] } @program;
# It ends behind everything that it was asked before: however slow it is, all of that is noted.
my $end = IO::Socket::INET->new(PeerAddr => "127.0.0.1", PeerPort => 53, Proto => "udp") or die "port 53: $!";
defined(send($end, "", 0)) or die "end: $!";
waitpid($sink, 0);
exit($status == -1 ? 127 : $status & 127 ? 128 + ($status & 127) : $status >> 8);
