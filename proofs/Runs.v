(** * What happens eventually, and what happens infinitely often

    A run is a function from the natural numbers; what is said about its positions is a predicate on numbers.

    "Infinitely often" is defined as "not: from some position on never". In classical logic this is the usual
    "after every position there is another one" ([Classically.v] proves it). In this form the theorems need no
    axiom at all: each of them says that some run does not exist, and such a proof may go through doubly negated
    facts ([~ ~ A]). "A sequence of numbers that never rises becomes constant" is such a fact. *)

From Coq Require Import Arith Lia List.
Import ListNotations.

Definition eventually_always (P : nat -> Prop) : Prop :=
  exists n, forall m, n <= m -> P m.

Definition infinitely_often (P : nat -> Prop) : Prop :=
  ~ eventually_always (fun m => ~ P m).

(** Two things that are true from some position on are true together from some position on. *)
Lemma eventually_both : forall P Q : nat -> Prop,
  eventually_always P -> eventually_always Q -> eventually_always (fun m => P m /\ Q m).
Proof.
  intros P Q [n Hn] [k Hk]. exists (n + k). intros m Hm. split; [apply Hn | apply Hk]; lia.
Qed.

Lemma eventually_weaken : forall P Q : nat -> Prop,
  (forall m, P m -> Q m) -> eventually_always P -> eventually_always Q.
Proof. intros P Q H [n Hn]. exists n. auto. Qed.

(** What is true from some position on is also true one position later. *)
Lemma eventually_next : forall P : nat -> Prop,
  eventually_always P -> eventually_always (fun m => P (S m)).
Proof. intros P [n Hn]. exists n. intros m Hm. apply Hn. lia. Qed.

(** Numbers that never rise become constant. *)
Lemma settles : forall f : nat -> nat,
  eventually_always (fun m => f (S m) <= f m) ->
  ~ ~ exists c, eventually_always (fun m => f m = c).
Proof.
  intros f [n Hn] Hnot.
  (* By induction on a bound [b]: [f] is never below [b] after [n]; so it would be above all bounds. *)
  assert (Hbound : forall b m, n <= m -> f m < b -> False).
  { induction b as [| b IH]; intros m Hm Hb; [lia |].
    apply Hnot. exists b, m. intros k Hk.
    assert (Hmono : f k <= f m).
    { induction Hk as [| k Hk IHk]; [lia |]. specialize (Hn k). lia. }
    assert (~ f k < b) by (intro; apply (IH k); lia).
    lia. }
  apply (Hbound (S (f n)) n); lia.
Qed.

(** Finitely many things, each of which happens only finitely often, all cease together. *)
Lemma all_cease : forall (A : Type) (happens : A -> nat -> Prop) (things : list A),
  (forall a, In a things -> ~ infinitely_often (happens a)) ->
  ~ ~ eventually_always (fun m => forall a, In a things -> ~ happens a m).
Proof.
  intros A happens things. induction things as [| a rest IH]; intros H Hnot.
  - apply Hnot. exists 0. intros m _ b [].
  - apply (H a (or_introl eq_refl)). intro Ha.
    apply IH; [intros b Hb; apply H; now right |]. intro Hrest.
    apply Hnot. generalize (eventually_both _ _ Ha Hrest). apply eventually_weaken.
    intros m [Hm Hms] b [<- | Hb]; auto.
Qed.
