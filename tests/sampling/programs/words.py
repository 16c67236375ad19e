import json,random
random.seed(1)
def words(n): return ["".join(random.choice("abcdefgh") for _ in range(5)) for _ in range(n)]
d={}
for w in words(2500):
    d[w]=d.get(w,0)+1
s=json.dumps(sorted(d.items()))
x=json.loads(s)
def fib(n): return n if n<2 else fib(n-1)+fib(n-2)
print(len(s),len(x),fib(15))
m=[[random.random() for _ in range(12)] for _ in range(12)]
p=[[sum(a*b for a,b in zip(r,c)) for c in zip(*m)] for r in m]
print(p[3][4])
