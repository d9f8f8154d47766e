/* if with jumps, goto into loops, nested do, labels in the middle, short-circuit, len */
byte a, b; chan q = [2] of { byte };
active proctype X() { byte i;
again: if :: a > 2 -> goto done :: else -> a++ fi;
  do :: i < 2 -> i++; if :: i == 1 -> goto mid :: i == 2 -> break fi; mid: b = b + i :: len(q) < 2 && a > 1 -> q!a; goto again :: i >= 2 -> break od;
  goto again;
done: do :: nempty(q) -> q?b :: empty(q) -> break od }
active proctype Y() { do :: a == 1 -> break :: q?[2] -> q?2; break :: timeout -> break od; b = 0 }
