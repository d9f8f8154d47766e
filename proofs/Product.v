(** * Why the evidence proves the property

    A system with its runs, an automaton that accepts the runs that violate a property, a fairness that is a
    disjunction, and one refutation tree for each alternative: then no fair run violates the property. For an
    invariant a closed set is enough.

    The theorem of [Refutation.v] is used on the product graph. Fairness is about steps of the system alone, never
    about edges of the product. *)

From Coq Require Import Arith Lia List.
Import ListNotations.
From Fairly Require Import Runs Refutation.

Section Product.

(** ** The system

    A step knows where it begins and ends; [genuine] says which steps the system can take. The step [idle] of a
    deadlock is one of them. *)

Variables State Step : Type.
Variables origin goal : Step -> State.
Variable genuine : Step -> Prop.
Variable initial : State -> Prop.

Definition run (w : nat -> Step) : Prop :=
  initial (origin (w 0)) /\ forall n, genuine (w n) /\ goal (w n) = origin (w (S n)).

Inductive reachable : State -> Prop :=
  | Initially : forall s, initial s -> reachable s
  | ByStep : forall a, genuine a -> reachable (origin a) -> reachable (goal a).

(** ** Fairness *)

Record requirement := { when_ : Step -> Prop; then_ : Step -> Prop }.

(** A conjunction of requirements, perhaps with strong global fairness. *)
Record assumption := { requirements : list requirement; global : Prop }.

Definition meets (w : nat -> Step) (q : requirement) : Prop :=
  infinitely_often (fun n => when_ q (w n)) -> infinitely_often (fun n => then_ q (w n)).

Definition globally_fair (w : nat -> Step) : Prop :=
  forall a, genuine a ->
    infinitely_often (fun n => origin (w n) = origin a) -> infinitely_often (fun n => w n = a).

Definition fair_by (w : nat -> Step) (f : assumption) : Prop :=
  (forall q, In q (requirements f) -> meets w q) /\ (global f -> globally_fair w).

(** The fairness is a disjunction of assumptions: its alternatives. *)
Definition fair (alternatives : list assumption) (w : nat -> Step) : Prop :=
  exists f, In f alternatives /\ fair_by w f.

(** ** The automaton of the violations *)

Variables Location Move : Type.
Variables from to : Move -> Location.
Variable starts : Location -> Prop.
Variable possible : Move -> Prop.
Variable reads : Move -> Step -> Prop.
Variable marks : nat.
Variable carries : nat -> Move -> Prop.

Definition accepts (w : nat -> Step) : Prop :=
  exists m : nat -> Move,
    starts (from (m 0)) /\
    (forall n, possible (m n) /\ reads (m n) (w n) /\ to (m n) = from (m (S n))) /\
    forall k, k < marks -> infinitely_often (fun n => carries k (m n)).

(** ** The product *)

Definition node : Type := State * Location.
Definition edge : Type := Step * Move.

Definition source (e : edge) : node := (origin (fst e), from (snd e)).
Definition target (e : edge) : node := (goal (fst e), to (snd e)).
Definition present (e : edge) : Prop := genuine (fst e) /\ possible (snd e) /\ reads (snd e) (fst e).

(** What a requirement says by its number. There is none beyond the list. *)
Definition numbered (part : requirement -> Step -> Prop) (f : assumption) (i : nat) (e : edge) : Prop :=
  match nth_error (requirements f) i with
  | Some q => part q (fst e)
  | None => False
  end.

Definition passes (f : assumption) : tree node Step -> edge -> Prop :=
  Refutation.passes node edge source target marks (fun k e => carries k (snd e))
    (length (requirements f)) (numbered when_ f) (numbered then_ f)
    State Step (global f) genuine origin fst fst.

(** The evidence for one alternative. *)
Definition refutes (f : assumption) (R : node -> Prop) (t : tree node Step) : Prop :=
  (forall s q, initial s -> starts q -> R (s, q)) /\
  (forall e, present e -> R (source e) -> R (target e) /\ passes f t e).

Lemma no_run_by : forall f R t, refutes f R t -> forall w, run w -> fair_by w f -> ~ accepts w.
Proof.
  intros f R t [Hinit Hclosed] w [H0 Hrun] [Hreq Hglobal] [m [Hm0 [Hm Hmarks]]].
  apply (refuted node edge present source target marks (fun k e => carries k (snd e))
    (length (requirements f)) (numbered when_ f) (numbered then_ f)
    State Step (global f) genuine origin fst fst
    (fun x => initial (fst x) /\ starts (snd x)) R t) with (r := fun n => (w n, m n)).
  - intros [s q] [Hs Hq]. now apply Hinit.
  - exact Hclosed.
  - intro n. destruct (Hrun n) as [Hg E], (Hm n) as [Hp [Hr Em]].
    split; [now repeat split |]. unfold target, source. simpl. now rewrite E, Em.
  - now split.
  - split.
    + intros i Hi Hwhen. destruct (nth_error (requirements f) i) as [q |] eqn:Eq.
      * assert (Hq : meets w q) by (apply Hreq; eapply nth_error_In; exact Eq).
        unfold numbered in *. rewrite Eq in *. exact (Hq Hwhen).
      * apply nth_error_None in Eq. lia.
    + intros Hg a Ha Hvisit. exact (Hglobal Hg a Ha Hvisit).
  - exact Hmarks.
Qed.

(** One tree for each alternative: no fair run is accepted. *)
Theorem no_fair_run_is_accepted : forall alternatives,
  (forall f, In f alternatives -> exists R t, refutes f R t) ->
  forall w, run w -> fair alternatives w -> ~ accepts w.
Proof.
  intros alternatives H w Hrun [f [Hf Hfair]]. destruct (H f Hf) as [R [t Ht]].
  exact (no_run_by f R t Ht w Hrun Hfair).
Qed.

(** The property itself. Truth of a formula on a run is a matter of definition, so "not violated" is the claim. *)
Corollary property_holds : forall (violates : (nat -> Step) -> Prop) alternatives,
  (forall w, run w -> violates w -> accepts w) ->
  (forall f, In f alternatives -> exists R t, refutes f R t) ->
  forall w, run w -> fair alternatives w -> ~ violates w.
Proof.
  intros violates alternatives Hauto H w Hrun Hfair Hv.
  exact (no_fair_run_is_accepted alternatives H w Hrun Hfair (Hauto w Hrun Hv)).
Qed.

(** ** Invariants

    A set that contains the initial states and is closed under steps contains every reachable state. That no fault is
    reachable is an invariant too. *)
Theorem invariant_holds : forall R p : State -> Prop,
  (forall s, initial s -> R s) ->
  (forall a, genuine a -> R (origin a) -> R (goal a)) ->
  (forall s, R s -> p s) ->
  forall s, reachable s -> p s.
Proof.
  intros R p Hinit Hclosed Hp s Hs. apply Hp. induction Hs; auto.
Qed.

(** Every state of a run is reachable. *)
Lemma runs_stay_reachable : forall w, run w -> forall n, reachable (origin (w n)).
Proof.
  intros w [H0 Hrun]. induction n as [| n IHn]; [now apply Initially |].
  destruct (Hrun n) as [Hg E]. rewrite <- E. now apply ByStep.
Qed.

End Product.
