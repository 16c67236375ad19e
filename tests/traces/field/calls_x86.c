/* Calls: Fibonacci numbers by recursion, tree and list work through pointers to functions, a copied text. Made with
 *     gcc -O1 -nostdlib -static -fno-pie -no-pie -fcf-protection=none -o calls calls_x86.c
 *     rubato capture -o calls_x86.rbt -- ./calls
 *     rubato trace convert calls_x86.rbt --to champsim -o calls_x86.champsim.xz */
enum { NODES = 300 };

static struct node { struct node *left, *right; long key; } nodes[NODES];
static char text[512], copy[512];
static volatile long result;

static __attribute__((noinline)) long fibonacci(long n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static __attribute__((noinline)) long add(long sum, const struct node *node) { return sum + node->key; }
static __attribute__((noinline)) long mix(long sum, const struct node *node) { return sum * 31 ^ node->key; }
static long (*volatile const visits[2])(long, const struct node *) = {add, mix};

static __attribute__((noinline)) struct node *build(struct node *first, long count)
{
    struct node *const middle = first + count / 2;

    if (count == 0)
        return 0;
    middle->key = middle - nodes;
    middle->left = build(first, count / 2);
    middle->right = build(middle + 1, count - count / 2 - 1);
    return middle;
}

static __attribute__((noinline)) long walk(const struct node *node, int which)
{
    long sum;

    if (!node)
        return 0;
    sum = walk(node->left, which);
    sum = visits[which](sum, node);
    return sum + walk(node->right, which);
}

__attribute__((noreturn)) void _start(void)
{
    struct node *const root = build(nodes, NODES);

    for (int round = 0; round < 8; round++) {
        long bytes = sizeof text;
        char *to = copy, *from = text;

        result = fibonacci(11) + walk(root, round & 1);
        __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
    }
    __asm__ volatile("syscall" : : "a"(231), "D"(0));
    __builtin_unreachable();
}
