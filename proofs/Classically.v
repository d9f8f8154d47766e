(** * The usual meaning of "infinitely often"

    The only file with an axiom: [classic], the excluded middle of Coq's library. Nothing else depends on it. *)

From Coq Require Import Arith Lia Classical.
From Fairly Require Import Runs.

Theorem infinitely_often_usual : forall P : nat -> Prop,
  infinitely_often P <-> forall n, exists m, n <= m /\ P m.
Proof.
  intro P. split.
  - intros H n. apply NNPP. intro Hnone. apply H. exists n. intros m Hm HP. apply Hnone. now exists m.
  - intros H [n Hn]. destruct (H n) as [m [Hm HP]]. exact (Hn m Hm HP).
Qed.
