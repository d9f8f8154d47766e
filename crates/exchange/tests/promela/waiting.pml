/* atomic with else, d_step guard first, break in nested blocks, skip, timeouts in two processes, empty if branch */
byte x, y; chan c = [1] of { byte }; bool flag;
active proctype A() { byte k;
  do :: atomic { x < 3 -> x++; if :: x == 2 -> c!x :: else fi } 
     :: d_step { x == 3 && y < 2 -> y++; x = 0 }
     :: atomic { c?k -> if :: k == 2 -> flag = !flag; break :: else -> skip fi }
     :: timeout -> break
  od }
active proctype B() { if :: timeout -> flag = 1 :: flag -> x = 5 fi; atomic { do :: y > 0 -> y-- :: y == 0 -> break od; (x > 9); y = 9 } }
