use strict; my %n; my $x=1; my $t='';
for my $i (1..25000) { $x=($x*1103515245+12345)%2147483648; $t.=chr(97+($x>>16)%16).((($x>>8)%5)?'':' '); }
$n{$_}++ for split / /,$t;
my @k=sort { $n{$b}<=>$n{$a} || $a cmp $b } keys %n;
my $c=0; for (@k) { $c++ if /a.*b/; $c+=length if s/([cd])([ef])/$2$1/g; }
print scalar(@k)," $c $k[0]\n";
