// Scales: from values to places on an axis, and the ticks that people can read.

const finite = (v) => v !== null && v !== undefined && Number.isFinite(v);

// linear and logarithmic scales over [lo, hi], onto [from, to] in pixels.
function scaleOf(lo, hi, from, to, log) {
  const f = log ? Math.log10 : (v) => v;
  const a = f(lo), b = f(hi), k = (to - from) / ((b - a) || 1);
  const at = (v) => from + (f(v) - a) * k;
  at.back = (px) => { const v = a + (px - from) / k; return log ? 10 ** v : v; };
  at.lo = lo;
  at.hi = hi;
  at.log = log;
  return at;
}

// ticks are round values inside a scale, at most about count of them.
function ticks(scale, count) {
  return scale.log ? logTicks(scale.lo, scale.hi, count) : linearTicks(scale.lo, scale.hi, count);
}

function linearTicks(lo, hi, count) {
  const rough = (hi - lo) / Math.max(1, count);
  if (!(rough > 0)) return [lo];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough * 0.999);
  const list = [];
  for (let i = Math.ceil(lo / step - 1e-9); i * step <= hi + step * 1e-9; i++) list.push(+(i * step).toPrecision(12));
  return list;
}

function logTicks(lo, hi, count) {
  const of = (multiples, every) => {
    const list = [];
    for (let e = Math.floor(Math.log10(lo)); e <= Math.ceil(Math.log10(hi)); e += every) {
      for (const m of multiples) {
        const v = +(m * 10 ** e).toPrecision(12);
        if (v >= lo * 0.999999 && v <= hi * 1.000001) list.push(v);
      }
    }
    return list;
  };
  for (const multiples of [[1, 2, 3, 5, 7], [1, 2, 5], [1, 3], [1]]) {
    const list = of(multiples, 1);
    if (list.length <= count + 1 && list.length >= 2) return list;
  }
  const decades = of([1], Math.max(1, Math.ceil(Math.log10(hi / lo) / Math.max(1, count))));
  return decades.length >= 2 ? decades : linearTicks(lo, hi, count);
}

// byteTicks are powers of two, every so many of them.
function byteTicks(scale, count) {
  const lo = Math.ceil(Math.log2(scale.lo) - 1e-9), hi = Math.floor(Math.log2(scale.hi) + 1e-9);
  const every = Math.max(1, Math.ceil((hi - lo + 1) / Math.max(1, count)));
  const list = [];
  for (let e = Math.ceil(lo / every) * every; e <= hi; e += every) list.push(2 ** e);
  return list.length >= 2 ? list : logTicks(scale.lo, scale.hi, count);
}

// bytesText writes a size in the binary unit that suits it.
function bytesText(v) {
  const names = ["B", "KiB", "MiB", "GiB", "TiB"];
  let i = 0;
  while (v >= 1024 && i < names.length - 1) { v /= 1024; i++; }
  return `${+v.toPrecision(3)} ${names[i]}`;
}

// tickText writes a tick with no more digits than it needs.
function tickText(v) {
  if (v === 0) return "0";
  const size = Math.abs(v);
  if (size >= 1e7 || size < 1e-4) return v.toExponential(1).replace(".0e", "e").replace("e+", "e");
  if (size >= 1e4) return String(Math.round(v)).replace(/\B(?=(\d{3})+$)/g, "\u202f");
  return String(+v.toPrecision(6));
}

// valueText writes a value as the tables do: three digits, four from 1000 up.
function valueText(v) {
  if (!finite(v)) return "unknown";
  const size = Math.abs(v);
  if (v === 0) return "0";
  if (size >= 1e6 || size < 1e-4) return v.toExponential(3);
  if (size >= 100) return v.toFixed(0);
  if (size >= 10) return v.toFixed(1);
  if (size >= 1) return v.toFixed(2);
  return String(+v.toPrecision(3));
}

function axisText(axis) {
  return axis.u ? `${axis.l} (${axis.u})` : axis.l;
}

// axisValue writes a value of an axis with its unit.
function axisValue(v, axis) {
  return axis.p ? bytesText(v) : withUnit(valueText(v), axis);
}

function withUnit(text, axis) {
  return axis.u ? `${text} ${axis.u}` : text;
}
