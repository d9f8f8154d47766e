(** * A small example, checked by computation

    A process at home may stay or go; when away it comes back. "It is away infinitely often" holds under strong
    fairness of [go] and under strong global fairness, and under no fairness it fails. Broken evidence is refused. *)

From Coq Require Import List Bool Arith.
Import ListNotations.
From Fairly Require Import Runs Product Checker.

Inductive State := home | away.
Inductive Step := stay | go | back | jump.   (* the system never takes [jump] *)

Definition state_eq : forall x y : State, {x = y} + {x <> y}. decide equality. Defined.
Definition step_eq : forall x y : Step, {x = y} + {x <> y}. decide equality. Defined.

Definition origin (a : Step) : State := match a with back => away | _ => home end.
Definition goal (a : Step) : State := match a with go | jump => away | _ => home end.
Definition steps (s : State) : list Step := match s with home => [stay; go] | away => [back] end.
Definition initial : list State := [home].

(** The automaton waits in 0, guesses that the process stays at home for ever, and watches it in 1. *)
Definition at_home (a : Step) : bool := match origin a with home => true | away => false end.
Definition watch : move Step := {| reads := at_home; carried := [0]; to := 1 |}.
Definition moves (q : nat) : list (move Step) :=
  match q with
  | 0 => [{| reads := fun _ => true; carried := []; to := 0 |}; watch]
  | 1 => [watch]
  | _ => []
  end.

Definition strong_go : requirement Step :=
  {| when_ := at_home; then_ := fun a => if step_eq a go then true else false |}.
Definition nothing : assumption Step := {| requirements := []; global := false |}.
Definition strong : assumption Step := {| requirements := [strong_go]; global := false |}.
Definition global_ : assumption Step := {| requirements := []; global := true |}.

(** Staying at home while being watched is block 1, and the edges that remain there are in block 3: there are none. *)
Definition listed : list (node State * nat) := [((home, 0), 2); ((away, 0), 2); ((home, 1), 3); ((away, 1), 0)].
Definition top (r : reason Step) : block Step := {| parent := None; why := r |}.
Definition with_reasons (r s : reason Step) : evidence State Step :=
  {| addresses := listed;
     blocks := [top (Trivial _); top r; top s; {| parent := Some 1; why := Trivial _ |}] |}.
Definition by_strong := with_reasons (Never _ 0) (Accept _ 0).
Definition by_global := with_reasons (Uncovered _ [go]) (Accept _ 0).

Definition check := Checker.check State Step state_eq step_eq origin goal initial steps [0] moves 1.

Example strong_is_checked : check [strong] [by_strong] = true. Proof. reflexivity. Qed.
Example global_is_checked : check [global_] [by_global] = true. Proof. reflexivity. Qed.
Example either_is_checked : check [strong; global_] [by_strong; by_global] = true. Proof. reflexivity. Qed.

(** What the check proves here. *)
Theorem goes_again_and_again : forall w,
  run State Step origin goal initial steps w ->
  fair State Step origin steps [strong; global_] w ->
  ~ accepts Step [0] moves 1 w.
Proof.
  exact (check_sound State Step state_eq step_eq origin goal initial steps [0] moves 1
    [strong; global_] [by_strong; by_global] either_is_checked).
Qed.

(** Refused: evidence for another fairness, no evidence for an alternative, a wrong reason, a requirement or a mark that is
    not there, a step that does not exist, blocks in the wrong order, a state that is left out. *)
Example refused :
  forallb (fun question => negb (check (fst question) [snd question]))
    [ ([nothing], by_strong); ([nothing], by_global); ([strong], by_global); ([global_], by_strong);
      ([strong; nothing], by_strong);
      ([strong], with_reasons (Trivial _) (Accept _ 0));
      ([strong], with_reasons (Accept _ 0) (Accept _ 0));
      ([strong], with_reasons (Never _ 1) (Accept _ 0));
      ([strong], with_reasons (Never _ 0) (Accept _ 1));
      ([global_], with_reasons (Uncovered _ [jump]) (Accept _ 0));
      ([global_], with_reasons (Uncovered _ [stay]) (Accept _ 0));
      ([strong], {| addresses := [((home, 0), 1); ((away, 0), 1); ((home, 1), 2); ((away, 1), 0)];
                    blocks := [top (Trivial _); top (Accept _ 0); top (Never _ 0)] |});
      ([strong], {| addresses := firstn 3 listed; blocks := blocks _ _ by_strong |}) ] = true.
Proof. reflexivity. Qed.

(** The definitions are not empty: staying at home for ever is a run, it is fair if nothing is asked, and the automaton
    accepts it. *)
Theorem it_may_stay : let w := fun _ : nat => stay in
  run State Step origin goal initial steps w /\
  fair State Step origin steps [nothing] w /\
  accepts Step [0] moves 1 w.
Proof.
  split; [| split].
  - split; [now left |]. intro n. split; [now left | reflexivity].
  - exists (assumption_of Step nothing). split; [now left |].
    split; [intros q [] | discriminate].
  - exists (fun n => (match n with 0 => 0 | _ => 1 end, watch)). split; [now left | split].
    + intros [| n]; (split; [| split; reflexivity]); [right; now left | now left].
    + intros k Hk [n Hn]. apply (Hn n (le_n n)). simpl. left. destruct k; [reflexivity |].
      apply Nat.succ_lt_mono in Hk. now apply Nat.nlt_0_r in Hk.
Qed.
