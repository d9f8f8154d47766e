(** * The check as a program

    What the judge does, as functions on lists and booleans, and the proof that "true" means what it should. The system
    comes in as functions: its initial states, and the steps from a state. The evidence for one alternative is a list of
    blocks, each with its reason and the block that it is a part of, and a list of product states, each with its
    address: the innermost block that it is in. The path of a block lists the blocks around it, from the top, and
    ends with the block itself. *)

From Coq Require Import Arith Lia List Bool.
Import ListNotations.
From Fairly Require Import Runs.
From Fairly Require Refutation Product.

Section Checker.

Variables State Step : Type.
Variable state_eq : forall x y : State, {x = y} + {x <> y}.
Variable step_eq : forall x y : Step, {x = y} + {x <> y}.
Variables origin goal : Step -> State.
Variable initial : list State.
Variable steps : State -> list Step.

Record requirement := { when_ : Step -> bool; then_ : Step -> bool }.
Record assumption := { requirements : list requirement; global : bool }.

(** The states of the automaton are numbers. [moves q] are its edges from [q]. *)
Record move := { reads : Step -> bool; carried : list nat; to : nat }.
Variable starts : list nat.
Variable moves : nat -> list move.
Variable marks : nat.

Definition node : Type := State * nat.
Definition edge : Type := Step * move.

Definition node_eq (x y : node) : {x = y} + {x <> y}.
Proof. decide equality. apply Nat.eq_dec. Defined.

(** ** The evidence *)

Inductive reason : Type :=
  | Trivial
  | Accept (k : nat)
  | Never (i : nat)
  | Uncovered (D : list Step).

Record block := { parent : option nat; why : reason }.
Record evidence := { addresses : list (node * nat); blocks : list block }.

(** The path of block [b]. No path is longer than there are blocks. *)
Fixpoint path_to (fuel : nat) (bs : list block) (b : nat) : list nat :=
  match fuel, nth_error bs b with
  | S fuel, Some x => match parent x with Some p => path_to fuel bs p ++ [b] | None => [b] end
  | _, _ => []
  end.

(** The path of a product state; [None] if it is not in the set. *)
Definition find_path (E : evidence) (x : node) : option (list nat) :=
  option_map (fun entry => path_to (length (blocks E)) (blocks E) (snd entry))
    (find (fun entry => if node_eq (fst entry) x then true else false) (addresses E)).

(** ** The check *)

Definition is_in (a : Step) (D : list Step) : bool := if in_dec step_eq a D then true else false.

Definition touches (D : list Step) (a : Step) : bool :=
  existsb (fun d => if state_eq (origin d) (origin a) then true
                    else if state_eq (origin d) (goal a) then true else false) D.

Definition numbered (part : requirement -> Step -> bool) (f : assumption) (i : nat) (a : Step) : bool :=
  match nth_error (requirements f) i with Some q => part q a | None => false end.

(** Marks and requirements are there, and steps exist. *)
Definition well_formed (f : assumption) (b : block) : bool :=
  match why b with
  | Trivial => true
  | Accept k => k <? marks
  | Never i => i <? length (requirements f)
  | Uncovered D => global f && forallb (fun d => is_in d (steps (origin d))) D
  end.

(** An edge, from a state with path [p] to one with path [q]. *)
Fixpoint walk (f : assumption) (bs : list block) (p q : list nat) (e : edge) : bool :=
  match p, q with
  | x :: p, y :: q =>
      (y <? x) || (y =? x) &&
      match option_map why (nth_error bs x) with
      | None | Some Trivial => false
      | Some (Accept k) => negb (existsb (Nat.eqb k) (carried (snd e)))
      | Some (Never i) =>
          negb (numbered then_ f i (fst e)) && (numbered when_ f i (fst e) || walk f bs p q e)
      | Some (Uncovered D) =>
          negb (is_in (fst e) D) && (touches D (fst e) || walk f bs p q e)
      end
  | _, _ => false
  end.

(** The product edges from a state of the system and one of the automaton. *)
Definition edges (x : node) : list edge :=
  filter (fun e => reads (snd e) (fst e)) (list_prod (steps (fst x)) (moves (snd x))).

Definition check_edge (f : assumption) (E : evidence) (x : node) (e : edge) : bool :=
  match find_path E x, find_path E (goal (fst e), to (snd e)) with
  | Some p, Some q => walk f (blocks E) p q e
  | _, _ => false
  end.

Definition check_alternative (f : assumption) (E : evidence) : bool :=
  forallb (well_formed f) (blocks E) &&
  forallb (fun x => if find_path E x then true else false) (list_prod initial starts) &&
  forallb (fun entry => forallb (check_edge f E (fst entry)) (edges (fst entry))) (addresses E).

(** Every alternative has its evidence. *)
Fixpoint check (alternatives : list assumption) (proof : list evidence) : bool :=
  match alternatives, proof with
  | [], [] => true
  | f :: alternatives, E :: proof => check_alternative f E && check alternatives proof
  | _, _ => false
  end.

Definition check_invariant (p : State -> bool) (listed : list State) : bool :=
  let is_listed s := if in_dec state_eq s listed then true else false in
  forallb is_listed initial &&
  forallb (fun s => p s && forallb (fun a => is_listed (goal a)) (steps s)) listed.

(** ** What it is about: the definitions of [Product.v] *)

Definition genuine (a : Step) : Prop := In a (steps (origin a)).
Definition is_initial (s : State) : Prop := In s initial.

Definition run := Product.run State Step origin goal genuine is_initial.

Definition requirement_of (q : requirement) : Product.requirement Step :=
  {| Product.when_ := fun a => when_ q a = true; Product.then_ := fun a => then_ q a = true |}.

Definition assumption_of (f : assumption) : Product.assumption Step :=
  {| Product.requirements := map requirement_of (requirements f); Product.global := global f = true |}.

Definition fair (alternatives : list assumption) :=
  Product.fair State Step origin genuine (map assumption_of alternatives).

Definition Move : Type := nat * move.
Definition possible (m : Move) : Prop := In (snd m) (moves (fst m)).

Definition accepts :=
  Product.accepts Step nat Move fst (fun m => to (snd m)) (fun q => In q starts) possible
    (fun m a => reads (snd m) a = true) marks (fun k m => In k (carried (snd m))).

Definition refutes :=
  Product.refutes State Step origin goal genuine is_initial nat Move fst (fun m => to (snd m)) (fun q => In q starts)
    possible (fun m a => reads (snd m) a = true) marks (fun k m => In k (carried (snd m))).

Definition passes :=
  Product.passes State Step origin goal genuine nat Move fst (fun m => to (snd m)) marks
    (fun k m => In k (carried (snd m))).

(** ** The tree that the blocks describe

    At depth [d] the block of a state is the number at position [d] of its path. There are [n] more levels. *)

Definition block_at (E : evidence) (d : nat) (x : node) : nat :=
  match find_path E x with Some p => nth d p 0 | None => 0 end.

Fixpoint tree_of (E : evidence) (n d : nat) : Refutation.tree node Step :=
  Refutation.Split _ _ (block_at E d) (fun b =>
    match n, option_map why (nth_error (blocks E) b) with
    | S n, Some (Accept k) => Refutation.Accept _ _ k
    | S n, Some (Never i) => Refutation.Never _ _ i (tree_of E n (S d))
    | S n, Some (Uncovered D) => Refutation.Uncovered _ _ D (tree_of E n (S d))
    | _, _ => Refutation.Trivial _ _
    end).

(** ** Soundness *)

Lemma skipn_head : forall (l : list nat) d x rest, skipn d l = x :: rest -> nth d l 0 = x /\ skipn (S d) l = rest.
Proof.
  induction l as [| y l IH]; intros [| d] x rest H; simpl in *; try discriminate.
  - injection H as -> ->. auto.
  - apply IH. exact H.
Qed.

Lemma path_length : forall bs fuel b, length (path_to fuel bs b) <= fuel.
Proof.
  intros bs. induction fuel as [| fuel IH]; intro b; simpl; [lia |].
  destruct (nth_error bs b) as [x |]; simpl; [| lia].
  destruct (parent x) as [p |]; simpl; [| lia]. rewrite app_length. specialize (IH p). simpl. lia.
Qed.

Lemma numbered_of : forall part part' f i (e : Step * Move),
  (forall q, part' (requirement_of q) (fst e) <-> part q (fst e) = true) ->
  Product.numbered Step Move part' (assumption_of f) i e <-> numbered part f i (fst e) = true.
Proof.
  intros part part' f i e H. unfold Product.numbered, numbered. simpl.
  rewrite nth_error_map. destruct (nth_error (requirements f) i); simpl; [apply H | easy].
Qed.

Lemma is_in_spec : forall a D, is_in a D = true <-> In a D.
Proof. intros a D. unfold is_in. destruct (in_dec step_eq a D); easy. Qed.

Lemma touches_spec : forall D a, touches D a = true <-> exists d, In d D /\ (origin d = origin a \/ origin d = goal a).
Proof.
  intros D a. unfold touches. rewrite existsb_exists. split; intros [d [Hd H]]; exists d; (split; [exact Hd |]);
    destruct (state_eq (origin d) (origin a)), (state_eq (origin d) (goal a)); intuition discriminate.
Qed.

Lemma walk_passes : forall f E (s : Step) (m : Move) p q n d x y,
  find_path E (origin s, fst m) = Some x -> find_path E (goal s, to (snd m)) = Some y ->
  skipn d x = p -> skipn d y = q -> length p <= n ->
  forallb (well_formed f) (blocks E) = true ->
  walk f (blocks E) p q (s, snd m) = true ->
  passes (assumption_of f) (tree_of E n d) (s, m).
Proof.
  intros f E s m. induction p as [| a p IH]; intros [| b q] n d x y Hx Hy Hp Hq Hn Hwf Hwalk;
    try discriminate; simpl in Hwalk.
  destruct n as [| n]; simpl in Hn; [lia |].
  destruct (skipn_head _ _ _ _ Hp) as [Ha Hp'], (skipn_head _ _ _ _ Hq) as [Hb Hq'].
  assert (Esource : block_at E d (origin s, fst m) = a) by (unfold block_at; now rewrite Hx).
  assert (Etarget : block_at E d (goal s, to (snd m)) = b) by (unfold block_at; now rewrite Hy).
  assert (Hrest : walk f (blocks E) p q (s, snd m) = true -> passes (assumption_of f) (tree_of E n (S d)) (s, m)).
  { intro H. apply (IH q n (S d) x y); auto. lia. }
  unfold passes, Product.passes in *. cbn [tree_of Refutation.passes].
  change (Product.source State Step origin nat Move fst (s, m)) with (origin s, fst m).
  change (Product.target State Step goal nat Move (fun m => to (snd m)) (s, m)) with (goal s, to (snd m)).
  rewrite Esource, Etarget.
  apply orb_prop in Hwalk as [Hlt | Hwalk]; [left; now apply Nat.ltb_lt |]. right.
  apply andb_prop in Hwalk as [Heq Hwalk]. apply Nat.eqb_eq in Heq. split; [exact Heq |].
  destruct (nth_error (blocks E) a) as [k |] eqn:Ek; [| discriminate].
  assert (Hk : well_formed f k = true).
  { rewrite forallb_forall in Hwf. apply Hwf. eapply nth_error_In. exact Ek. }
  unfold well_formed in Hk. cbn [option_map] in Hwalk |- *.
  destruct (why k) as [| mark | i | D]; [discriminate | | |].
  - split; [now apply Nat.ltb_lt |]. intro Hmark. simpl in Hmark. apply negb_true_iff in Hwalk.
    apply (proj2 (not_true_iff_false _) Hwalk). apply existsb_exists.
    exists mark. split; [exact Hmark | apply Nat.eqb_refl].
  - apply andb_prop in Hwalk as [Hthen Hwhen]. split; [| split].
    + simpl. rewrite map_length. now apply Nat.ltb_lt.
    + rewrite (numbered_of then_) by (intros; reflexivity). simpl.
      apply negb_true_iff in Hthen. simpl in Hthen. rewrite Hthen. discriminate.
    + rewrite (numbered_of when_) by (intros; reflexivity). simpl. intro Hnot.
      apply orb_prop in Hwhen as [Hw | Hw]; [contradiction | exact (Hrest Hw)].
  - apply andb_prop in Hwalk as [Htake Htouch], Hk as [Hg HD]. split; [exact Hg | split; [| split]].
    + intros d' Hd'. rewrite forallb_forall in HD. apply is_in_spec, HD. exact Hd'.
    + simpl. apply negb_true_iff in Htake. simpl in Htake. rewrite <- is_in_spec, Htake. discriminate.
    + intro Hnot. apply orb_prop in Htouch as [Ht | Ht]; [| exact (Hrest Ht)].
      exfalso. apply Hnot. apply touches_spec in Ht. exact Ht.
Qed.

Lemma found_is_listed : forall E x p,
  find_path E x = Some p -> exists b, In (x, b) (addresses E) /\ length p <= length (blocks E).
Proof.
  intros E x p H. unfold find_path in H.
  destruct (find _ (addresses E)) as [[y b] |] eqn:F; [| discriminate]. injection H as <-.
  apply find_some in F as [Hin Heq]. simpl in Heq. destruct (node_eq y x) as [-> |]; [| discriminate].
  exists b. split; [exact Hin | apply path_length].
Qed.

Lemma check_alternative_refutes : forall f E,
  check_alternative f E = true ->
  refutes (assumption_of f) (fun x => find_path E x <> None) (tree_of E (length (blocks E)) 0).
Proof.
  intros f E H. unfold check_alternative in H.
  apply andb_prop in H as [H Hedges]. apply andb_prop in H as [Hwf Hinit].
  rewrite forallb_forall in Hinit, Hedges. split.
  - intros s q Hs Hq. specialize (Hinit (s, q) (in_prod _ _ _ _ Hs Hq)). now destruct (find_path E (s, q)).
  - intros [s m] [Hgenuine [Hpossible Hreads]] HR. simpl in *.
    unfold Product.source, Product.target in *. simpl in *.
    destruct (find_path E (origin s, fst m)) as [x |] eqn:Hx; [clear HR | contradiction].
    destruct (found_is_listed _ _ _ Hx) as [b [Hb Hlength]].
    specialize (Hedges _ Hb). rewrite forallb_forall in Hedges.
    assert (He : In (s, snd m) (edges (origin s, fst m))).
    { apply filter_In. split; [now apply in_prod | exact Hreads]. }
    specialize (Hedges _ He). unfold check_edge in Hedges. simpl in Hedges. rewrite Hx in Hedges.
    destruct (find_path E (goal s, to (snd m))) as [y |] eqn:Hy; [| discriminate].
    split; [discriminate |].
    exact (walk_passes f E s m x y _ 0 x y Hx Hy eq_refl eq_refl Hlength Hwf Hedges).
Qed.

(** If the check says "true", no fair run is accepted by the automaton of the violations. *)
Theorem check_sound : forall alternatives proof,
  check alternatives proof = true ->
  forall w, run w -> fair alternatives w -> ~ accepts w.
Proof.
  intros alternatives proof H. apply Product.no_fair_run_is_accepted.
  revert proof H. induction alternatives as [| f alternatives IH]; intros proof H g Hg; [destruct Hg |].
  destruct proof as [| E proof]; [discriminate |]. simpl in H. apply andb_prop in H as [HE H].
  destruct Hg as [<- | Hg]; [| exact (IH proof H g Hg)].
  exists (fun x => find_path E x <> None), (tree_of E (length (blocks E)) 0). now apply check_alternative_refutes.
Qed.

(** If the check of an invariant says "true", it is true in every reachable state. *)
Theorem check_invariant_sound : forall p listed,
  check_invariant p listed = true ->
  forall s, Product.reachable State Step origin goal genuine is_initial s -> p s = true.
Proof.
  intros p listed H. unfold check_invariant in H. apply andb_prop in H as [Hinit Hall].
  rewrite forallb_forall in Hinit, Hall.
  apply Product.invariant_holds with (R := fun s => In s listed).
  - intros s Hs. specialize (Hinit s Hs). now destruct (in_dec state_eq s listed).
  - intros a Ha Hin. specialize (Hall _ Hin). apply andb_prop in Hall as [_ Hsteps].
    rewrite forallb_forall in Hsteps. specialize (Hsteps _ Ha). now destruct (in_dec state_eq (goal a) listed).
  - intros s Hs. specialize (Hall s Hs). now apply andb_prop in Hall as [Hp _].
Qed.

End Checker.
