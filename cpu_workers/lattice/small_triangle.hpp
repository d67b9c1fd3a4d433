// A first reduction of a small lattice, in floating point, which is as good as its rounding errors let it be:
// what comes after it (small_lattice_kernels.hpp) has exact inner products and little left to do.
//
// Rows are known by their coordinates T in the orthonormal directions of b*_1, b*_2, ..: T_ij for j <= i. Two
// neighbours change places by one reflection of two coordinates, so that an exchange costs a dozen vector
// operations and no row is ever projected again. The rows themselves take part in integers, exactly.
// Included by small_lattice_kernels.hpp, in the namespace of an instruction set.

/// Entries up to this, and multiples up to kMaximumMultiple of them, are exact in doubles.
constexpr double kTriangleEntry = 0x1p+30;
constexpr double kMaximumMultiple = 0x1p+20;
/// Neighbours are exchanged to this factor first, which takes half as many exchanges as 0.99 would; the last
/// ones come with deep insertions (C. P. Schnorr, M. Euchner 1994). These have to gain so much: more of them
/// take longer than what they save in the search. Found by trying, at dimension 29.
constexpr double kFirstLovasz = 0.8;
constexpr double kTriangleLovasz = 0.99;
constexpr double kDeepGain = 0.92;

class SmallTriangle {
 public:
  explicit SmallTriangle(SmallLattice& lattice)
      : lattice_(lattice), d_(lattice.dimension), inverse_(lattice.inverseNorms.data()) {}

  /// `factorize` has made mu and norms. False where the rows have not stayed exact: they are of no use then.
  bool run(bool deep) {
    for (int i = 0; i < d_; ++i) {
      double* const own = row(i);
      const double* const mu = lattice_.mu(i);
      for (int j = 0; j < lattice_.stride(); ++j) own[j] = j < i ? mu[j] * std::sqrt(lattice_.norms()[j]) : 0;
      own[i] = std::sqrt(lattice_.norms()[i]);
      inverse_[i] = 1 / own[i];
    }
    exchanges_ = kExchangesPerRow * static_cast<std::int64_t>(d_) * (d_ + 8);
    reduceNeighbours();
    if (deep && exchanges_ > 0) insertDeeply();
    return exact_ && peak() < kTriangleEntry;
  }

 private:
  static constexpr std::int64_t kExchangesPerRow = 64;

  double* row(int i) { return lattice_.projections(i); }

  static double rounded(double value) {
    constexpr double kShift = 6755399441055744.0;  // 1.5 * 2^52
    return (value + kShift) - kShift;
  }

  void takeOff(int i, int j, double x) {
    exact_ = exact_ && std::abs(x) < kMaximumMultiple;
    subtract(row(i), x, row(j), 0, j + 1);
    subtract(lattice_.row(i), x, lattice_.row(j), 0, lattice_.columns);
    raise(peak_, lattice_.row(i), lattice_.columns);
  }
  /// The first `count` numbers, and what fills up a block, change places.
  static void swapRows(double* a, double* b, int count) {
    for (int j = 0; j < count; j += 8) {
      auto& first = *reinterpret_cast<Block*>(a + j);
      auto& second = *reinterpret_cast<Block*>(b + j);
      const Block kept = first;
      first = second;
      second = kept;
    }
  }
  double peak() const { return greatestOf(peak_); }

  /// Rows k - 1 and k change places.
  void exchange(int k) {
    --exchanges_;
    double* const low = row(k - 1);
    double* const high = row(k);
    const double p = high[k - 1];
    const double q = high[k];
    const double a = low[k - 1];
    const double length = std::sqrt(p * p + q * q);
    const double inverse = 1 / length;
    const double c = p * inverse;
    const double s = q * inverse;
    swapRows(low, high, k + 1);
    swapRows(lattice_.row(k - 1), lattice_.row(k), lattice_.columns);
    low[k - 1] = length;
    low[k] = 0;
    high[k - 1] = c * a;
    high[k] = s * a;
    inverse_[k - 1] = inverse;
    inverse_[k] = 1 / high[k];
    for (int i = k + 1; i < d_; ++i) {
      double* const at = row(i) + (k - 1);
      const double x = at[0];
      const double y = at[1];
      at[0] = c * x + s * y;
      at[1] = s * x - c * y;
    }
  }

  /// Coefficients above `most` are taken off, from row `from` down.
  void sizeReduce(int i, int from, double most) {
    const double* const own = row(i);
    // The row's own place is left out; what lies between is size-reduced.
    const double kept = std::exchange(inverse_[i], 0.0);
    Block greatest{};
    for (int j = 0; j <= from; j += 8) {
      const Block coefficients =
          *reinterpret_cast<const Block*>(own + j) * *reinterpret_cast<const Block*>(inverse_ + j);
      raise(greatest, reinterpret_cast<const double*>(&coefficients), 8);
    }
    inverse_[i] = kept;
    if (!(greatestOf(greatest) > most)) return;
    for (int j = from; j >= 0; --j) {
      const double x = rounded(own[j] * inverse_[j]);
      if (x != 0) takeOff(i, j, x);
    }
  }

  /// LLL. Rows stay nearly size-reduced only: a neighbour's coefficient decides an exchange, others do not.
  void reduceNeighbours() {
    for (int k = 1; k < d_ && exchanges_ > 0 && exact_;) {
      double* const own = row(k);
      const double x = rounded(own[k - 1] * inverse_[k - 1]);
      if (x != 0) takeOff(k, k - 1, x);
      const double before = row(k - 1)[k - 1];
      if (own[k - 1] * own[k - 1] + own[k] * own[k] < kFirstLovasz * before * before) {
        exchange(k);
        if (k > 1) --k;
        continue;
      }
      if (k > 1) sizeReduce(k, k - 2, 1.0);
      ++k;
    }
  }

  void insertDeeply() {
    for (int i = 1; i < d_ && exchanges_ > 0 && exact_;) {
      sizeReduce(i, i - 1, 0.501);
      const double* const own = row(i);
      double rest = own[i] * own[i];
      int place = i;
      for (int k = i - 1; k >= 0; --k) {
        rest += own[k] * own[k];
        const double before = row(k)[k];
        const double gain = k == i - 1 ? kTriangleLovasz : kDeepGain;
        if (rest < gain * before * before) place = k;
      }
      if (place == i) {
        ++i;
        continue;
      }
      for (int k = i; k > place; --k) exchange(k);
      i = std::max(1, place);
    }
  }

  SmallLattice& lattice_;
  int d_;
  double* inverse_;  ///< of T_ii
  std::int64_t exchanges_ = 0;
  bool exact_ = true;
  Block peak_{};
};
