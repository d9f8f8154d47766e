/* arithmetic of sizes, arrays of channels, array of bits, constant expressions in sizes, negative numbers, chars */
#define K (2+1)
chan q[K] = [1] of { byte, short }; short neg = -3; byte arr[K * 2] = 7; bit bs[3];
active [K] proctype P() { short s; byte b; 
  q[(_pid + 1) % K]!_pid,neg * _pid; 
  q[_pid]?b,s; bs[b] = (s < 0); arr[b + 1]--; if :: b == 'a' - 95 -> neg = -neg :: b != 2 -> neg = neg >> 1 fi }
