(** * Refutation trees: no path of a graph is both fair and accepted

    The graph is any graph: nodes and edges are types, and several edges may lead from one node to another. It need
    not be finite. Edges carry the marks of a Büchi automaton. Requirements [GF when -> GF then] speak of edges.
    For strong global fairness every node has a state of the system and every edge a step of the system: many
    nodes may have the same state, and fairness speaks of states and steps only.

    The evidence is a tree. [passes] is what must be true of each single edge, and [refuted] the theorem. *)

From Coq Require Import Arith Lia List.
Import ListNotations.
From Fairly Require Import Runs.

Section Graph.

(** [present] says which members of the type [Edge] are edges of the graph. *)
Variables Node Edge : Type.
Variable present : Edge -> Prop.
Variables source target : Edge -> Node.

(** The marks that an accepted path must meet infinitely often: [0, ..., marks - 1]. *)
Variable marks : nat.
Variable marked : nat -> Edge -> Prop.

(** The requirements of one alternative of the fairness: [0, ..., requirements - 1]. *)
Variable requirements : nat.
Variables when_ then_ : nat -> Edge -> Prop.

(** The system below: [global] says whether strong global fairness is assumed, [genuine] which steps it has, and
    [origin] where a step begins. *)
Variables State Step : Type.
Variable global : Prop.
Variable genuine : Step -> Prop.
Variable origin : Step -> State.
Variable state : Node -> State.
Variable step : Edge -> Step.

(** ** Paths *)

Definition path (r : nat -> Edge) : Prop :=
  forall n, present (r n) /\ target (r n) = source (r (S n)).

Definition accepted (r : nat -> Edge) : Prop :=
  forall k, k < marks -> infinitely_often (fun n => marked k (r n)).

Definition meets_requirements (r : nat -> Edge) : Prop :=
  forall i, i < requirements ->
    infinitely_often (fun n => when_ i (r n)) -> infinitely_often (fun n => then_ i (r n)).

(** Each step of the system whose origin is visited infinitely often is taken infinitely often. *)
Definition globally_fair (r : nat -> Edge) : Prop :=
  forall s, genuine s ->
    infinitely_often (fun n => state (source (r n)) = origin s) -> infinitely_often (fun n => step (r n) = s).

Definition fair (r : nat -> Edge) : Prop :=
  meets_requirements r /\ (global -> globally_fair r).

(** ** Trees

    A node of the tree splits the nodes of the graph into numbered blocks, and gives each block its reason. A reason
    with a subtree says what remains to be refuted. The type has no infinite branch. *)

Inductive tree : Type :=
  | Split (block : Node -> nat) (why : nat -> reason)
with reason : Type :=
  | Trivial                                    (* no edge stays in the block *)
  | Accept (k : nat)                           (* no edge in the block carries mark [k] *)
  | Never (i : nat) (rest : tree)              (* none meets [then_ i]; those without [when_ i] remain *)
  | Uncovered (D : list Step) (rest : tree).   (* none takes a step of [D]; those away from its origins remain *)

Definition touches (D : list Step) (e : Edge) : Prop :=
  exists s, In s D /\ (origin s = state (source e) \/ origin s = state (target e)).

(** The local check of an edge. Block numbers must not rise. Where they fall there is nothing to show. *)
Fixpoint passes (t : tree) (e : Edge) : Prop :=
  let 'Split block why := t in
  block (target e) < block (source e) \/
  block (target e) = block (source e) /\
  match why (block (source e)) with
  | Trivial => False
  | Accept k => k < marks /\ ~ marked k e
  | Never i rest => i < requirements /\ ~ then_ i e /\ (~ when_ i e -> passes rest e)
  | Uncovered D rest =>
      global /\ (forall s, In s D -> genuine s) /\ ~ In (step e) D /\ (~ touches D e -> passes rest e)
  end.

(** ** The theorem

    By induction on the tree: a fair path cannot pass from some position on. The block numbers settle, so it ends up
    in one block [c]. With [Trivial] there is no further edge; with [Accept k] the mark [k] does not come again. With
    [Never i] the path meets [then_ i] no more, so, being fair, from some position on it has no [when_ i]; with
    [Uncovered D] it takes no step of [D] any more, so it visits each origin only finitely often, and there are
    finitely many. In both cases it ends up among the edges that pass the subtree. *)
Lemma no_path_passes : forall t r,
  (forall n, target (r n) = source (r (S n))) -> fair r -> accepted r ->
  ~ eventually_always (fun n => passes t (r n)).
Proof.
  fix IH 1. intros [block why] r Hpath [Hreq Hglobal] Hacc Hpasses.
  apply (settles (fun n => block (source (r n)))).
  { revert Hpasses. apply eventually_weaken. intros n Hn. rewrite <- Hpath. simpl in Hn. lia. }
  intros [c Hc].
  (* From some position on, every edge stays in block [c] and has its reason. *)
  assert (Hstay : eventually_always (fun n =>
    match why c with
    | Trivial => False
    | Accept k => k < marks /\ ~ marked k (r n)
    | Never i rest => i < requirements /\ ~ then_ i (r n) /\ (~ when_ i (r n) -> passes rest (r n))
    | Uncovered D rest =>
        global /\ (forall s, In s D -> genuine s) /\
        ~ In (step (r n)) D /\ (~ touches D (r n) -> passes rest (r n))
    end)).
  { generalize (eventually_both _ _ Hpasses (eventually_both _ _ Hc (eventually_next _ Hc))).
    apply eventually_weaken. intros n [Hn [Hsource Hnext]].
    rewrite <- Hpath in Hnext. simpl in Hn. rewrite Hsource, Hnext in Hn. destruct Hn as [Hn | [_ Hn]]; [lia | exact Hn]. }
  clear Hpasses Hc. destruct (why c) as [| k | i rest | D rest].
  - destruct Hstay as [n Hn]. exact (Hn n (le_n n)).
  - assert (k < marks) as Hk by (destruct Hstay as [n Hn]; apply (Hn n (le_n n))).
    apply (Hacc k Hk). revert Hstay. apply eventually_weaken. tauto.
  - assert (i < requirements) as Hi by (destruct Hstay as [n Hn]; apply (Hn n (le_n n))).
    assert (Hnever : ~ infinitely_often (fun n => when_ i (r n))).
    { intro Hwhen. apply (Hreq i Hi Hwhen). revert Hstay. apply eventually_weaken. tauto. }
    apply Hnever. intro Hwhen. apply (IH rest r Hpath (conj Hreq Hglobal) Hacc).
    generalize (eventually_both _ _ Hstay Hwhen). apply eventually_weaken. tauto.
  - assert (Hg : global /\ forall s, In s D -> genuine s)
      by (destruct Hstay as [n Hn]; destruct (Hn n (le_n n)); tauto).
    destruct Hg as [Hg HD].
    apply (all_cease Step (fun s n => state (source (r n)) = origin s) D).
    { intros s Hs Hvisit. apply (Hglobal Hg s (HD s Hs) Hvisit). revert Hstay. apply eventually_weaken.
      intros n [_ [_ [Hn _]]] E. rewrite E in Hn. contradiction. }
    intro Haway. apply (IH rest r Hpath (conj Hreq Hglobal) Hacc).
    generalize (eventually_both _ _ Hstay (eventually_both _ _ Haway (eventually_next _ Haway))).
    apply eventually_weaken. intros n [[_ [_ [_ Hn]]] [Hsource Htarget]]. apply Hn.
    intros [s [Hs [E | E]]]; [apply (Hsource s Hs) | apply (Htarget s Hs)]; try rewrite <- Hpath; auto.
Qed.

(** The evidence: a set [R] of nodes with the initial ones, closed under edges, all of which pass. *)
Theorem refuted : forall (initial R : Node -> Prop) (t : tree),
  (forall x, initial x -> R x) ->
  (forall e, present e -> R (source e) -> R (target e) /\ passes t e) ->
  forall r, path r -> initial (source (r 0)) -> fair r -> accepted r -> False.
Proof.
  intros initial R t Hinit Hclosed r Hpath H0 Hfair Hacc.
  assert (HR : forall n, R (source (r n))).
  { induction n as [| n IHn]; [now apply Hinit |]. destruct (Hpath n) as [He E]. rewrite <- E. now apply Hclosed. }
  apply (no_path_passes t r (fun n => proj2 (Hpath n)) Hfair Hacc).
  exists 0. intros n _. apply Hclosed; [apply Hpath | apply HR].
Qed.

End Graph.
