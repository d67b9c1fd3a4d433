// Draws the report from the JSON in #data. No network, no state; chart.js is inlined before this script.
(function () {
  "use strict";
  const data = JSON.parse(document.getElementById("data").textContent);
  const css = getComputedStyle(document.documentElement);
  const color = (name) => css.getPropertyValue("--" + name).trim();
  const modeColor = (mode) => color(["cpu", "gpu", "hybrid", "emulated"].includes(mode) ? mode : "other");
  const byId = (id) => document.getElementById(id);
  const sumOf = (values) => {
    let sum = 0;
    for (const value of values) sum += value;
    return sum;
  };
  const done = data.rows.filter((row) => row.status === "done");

  // --- names of cases ------------------------------------------------------------------------------------
  /// Settings that all cases share ("threads=2", "<6,9,20>") are said once, at the top.
  const commonSettings = (() => {
    const names = [...new Set(data.rows.map((row) => row.label))];
    if (names.length < 2) return [];
    const isSetting = (word) => /^(<.*>|[^=]+=.+)$/.test(word);
    return names[0].split(" ").filter((word) => isSetting(word) && names.every((name) => name.split(" ").includes(word)));
  })();
  function shortLabel(label) {
    return label.split(" ").filter((word) => !commonSettings.includes(word)).join(" ") || label;
  }
  /// Lines of at most `most` characters, broken at blanks, and after commas where a word is longer.
  function wrapped(label, most) {
    const lines = [];
    let line = "";
    label.split(" ").flatMap((word) => word.length <= most ? [word] : word.match(new RegExp(".{1," + most + "}(,|$)|.{1," + most + "}", "g")))
      .forEach((word) => {
        if (line && line.length + 1 + word.length > most) { lines.push(line); line = word; }
        else line += (line ? " " : "") + word;
      });
    return lines.concat(line);
  }

  // --- text ----------------------------------------------------------------------------------------------
  function element(tag, text, className) {
    const node = document.createElement(tag);
    if (text !== undefined && text !== null) node.textContent = text;
    if (className) node.className = className;
    return node;
  }
  function shortNumber(value) {
    if (!isFinite(value)) return "";
    const prefixes = ["", " k", " M", " G", " T", " P"];
    let index = 0;
    while (Math.abs(value) >= 999.5 && index + 1 < prefixes.length) { value /= 1000; index += 1; }
    const digits = index === 0 && Number.isInteger(value) ? 0 : value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    return value.toFixed(digits) + prefixes[index];
  }
  function seconds(value) {
    if (value === null || value === undefined) return "";
    if (value >= 100) return value.toFixed(0) + " s";
    if (value >= 1) return value.toFixed(2) + " s";
    if (value >= 1e-3) return (value * 1e3).toPrecision(3) + " ms";
    return (value * 1e6).toPrecision(3) + " µs";
  }
  function bytes(value) {
    const units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let index = 0;
    while (value >= 1024 && index + 1 < units.length) { value /= 1024; index += 1; }
    return value.toFixed(index === 0 ? 0 : 1) + " " + units[index];
  }
  function grouped(text) { return text ? String(text).replace(/\B(?=(\d{3})+$)/g, "\u202f") : ""; }
  function ratio(value) { return value === null || value === undefined ? "" : value >= 100 ? value.toFixed(0) : value.toPrecision(3); }

  // --- head ----------------------------------------------------------------------------------------------
  function drawHead() {
    byId("title").textContent = data.title;
    byId("description").textContent = data.description;
    const facts = byId("facts");
    const fact = (name, value) => {
      if (!value) return;
      facts.append(element("dt", name), element("dd", value));
    };
    const machine = data.machine;
    fact("CPU", machine.cpu + ", " + machine.cores + " usable cores, " + bytes(machine.memory_bytes));
    fact("GPU", (machine.gpus || []).map((gpu) => gpu.name + " (" + bytes(gpu.memory_bytes) + ")").join(", ") || "none");
    fact("Build", "slicepool " + data.build.version + ", " + data.build.compiler + ", " + data.build.type +
         (data.build.cuda ? ", CUDA: " + data.build.cuda : ", without CUDA"));
    fact("Measured", data.repetitions + " repetitions per point" + (data.warmUp ? " after " + data.warmUp + " warm-up" : "") +
         (data.interleaved ? ", interleaved over the modes" : "") + "; report written " + data.written);
    fact("Published by", data.publishedBy);
    fact("Reference", data.referenceBy);
    fact("All cases", commonSettings.join(" "));
    fact("Notes", data.notes);
    if (data.mismatches.length) {
      const box = element("div", "Results differ where they must agree:", "alert");
      const list = element("ul");
      data.mismatches.forEach((text) => list.append(element("li", text)));
      box.append(list);
      byId("alerts").append(box);
    }
  }

  function drawTiles() {
    const tiles = byId("key-figures");
    const tile = (value, text) => {
      const box = element("div", null, "tile");
      box.append(element("b", value), element("span", text));
      tiles.append(box);
    };
    const checked = done.filter((row) => row.verification === "expected count" || row.verification === "other runs");
    tile(done.length + " of " + data.rows.length, "points measured");
    tile(checked.length + " of " + done.length, "points confirmed by a known count or another run");
    for (const mode of ["cpu", "gpu", "hybrid", "emulated"]) {
      const rates = done.filter((row) => row.mode === mode && row.rate).map((row) => row.rate[0]);
      if (rates.length) tile(shortNumber(Math.max(...rates)) + "/s", "best steps per second, " + mode);
    }
    const figures = done.map((row) => row.hybridFigure).filter((value) => value !== null);
    if (figures.length) tile(Math.min(...figures).toFixed(2) + " – " + Math.max(...figures).toFixed(2), "hybrid figure, worst to best");
    data.geometricMeans.forEach(([mode, mean]) => tile("× " + ratio(mean), "geometric mean over " + data.comparedName + ", " + mode));
    const wrong = new Set(data.rows.filter((row) => row.publishedCountWrong).map((row) => row.case));
    if (wrong.size) tile(wrong.size, "rows where the published count is wrong");
  }

  // --- charts --------------------------------------------------------------------------------------------
  const kLabelWidth = window.innerWidth < 700 ? 21 : 38;
  function axis(title, extra) {
    return Object.assign({ title: { display: Boolean(title), text: title, color: color("soft") }, grid: { color: color("grid") },
                           ticks: { color: color("soft") } }, extra || {});
  }
  function logarithmic(values) {
    const positive = values.filter((value) => value > 0);
    return positive.length > 0 && Math.max(...positive) / Math.min(...positive) > 30;
  }
  /// Decades only (and 2, 5 when the axis is short), so that labels stay apart.
  function logTicks(format) {
    return { color: color("soft"), maxRotation: 0, autoSkip: false, callback: function (value) {
      const low = Math.log10(this.min), high = Math.log10(this.max);
      const lead = Math.round(value / Math.pow(10, Math.floor(Math.log10(value) + 1e-9)));
      const wanted = high - low > 3 ? [1] : high - low > 1.2 ? [1, 3] : [1, 2, 5];
      return wanted.includes(lead) ? format(value) : null;
    } };
  }
  function valueAxis(values, title, format) {
    return logarithmic(values) ? axis(title + " (logarithmic)", { type: "logarithmic", ticks: logTicks(format) })
                               : axis(title, { beginAtZero: true, ticks: { color: color("soft"), callback: (value) => format(value) } });
  }
  /// Thin lines from the smallest to the largest repetition.
  const whiskers = { id: "whiskers", afterDatasetsDraw(chart) {
    const context = chart.ctx;
    const scale = chart.scales.x;
    chart.data.datasets.forEach((set, index) => {
      if (!set.spread || chart.getDatasetMeta(index).hidden) return;
      chart.getDatasetMeta(index).data.forEach((bar, item) => {
        const spread = set.spread[item];
        if (!spread || spread[0] === spread[1]) return;
        const left = scale.getPixelForValue(spread[0]), right = scale.getPixelForValue(spread[1]);
        context.save();
        context.strokeStyle = color("text");
        context.lineWidth = 1.25;
        context.beginPath();
        context.moveTo(left, bar.y); context.lineTo(right, bar.y);
        for (const x of [left, right]) { context.moveTo(x, bar.y - 3); context.lineTo(x, bar.y + 3); }
        context.stroke();
        context.restore();
      });
    });
  } };
  /// A vertical line at 1 for ratios.
  const unity = { id: "unity", beforeDatasetsDraw(chart) {
    const x = chart.scales.x.getPixelForValue(1);
    const context = chart.ctx;
    context.save();
    context.strokeStyle = color("soft");
    context.setLineDash([5, 4]);
    context.beginPath(); context.moveTo(x, chart.chartArea.top); context.lineTo(x, chart.chartArea.bottom); context.stroke();
    context.restore();
  } };
  function casesOf(rows) {
    const cases = new Map();
    rows.forEach((row) => { if (!cases.has(row.case)) cases.set(row.case, shortLabel(row.label)); });
    return [...cases.entries()];
  }
  function horizontalBars(id, cases, datasets, scale, options) {
    const canvas = byId(id);
    const labels = cases.map(([, label]) => wrapped(label, kLabelWidth));
    const barRows = options.stacked ? 1 : datasets.length;
    const heights = labels.map((lines) => Math.max(barRows * 15 + 12, lines.length * 15 + 6));
    canvas.parentNode.style.height = 96 + labels.length * Math.max(...heights) + "px";
    return new Chart(canvas, {
      type: "bar",
      data: { labels, datasets },
      options: {
        indexAxis: "y", maintainAspectRatio: false, animation: false,
        scales: { x: scale, y: axis("", { stacked: Boolean(options.stacked), grid: { display: false }, ticks: { color: color("text"), autoSkip: false } }) },
        plugins: { legend: { display: datasets.length > 1, position: "top", align: "start", labels: { color: color("text"), boxWidth: 12 } },
                   tooltip: { callbacks: { title: (items) => cases[items[0].dataIndex][1], label: options.label } } }
      },
      plugins: options.plugins
    });
  }
  function bars(label, fill, values, spread) {
    return { label, data: values, spread, backgroundColor: fill, borderRadius: 2, barPercentage: 0.9, categoryPercentage: 0.82, maxBarThickness: 18 };
  }
  function hideSection(id) { byId(id).style.display = "none"; }
  function showAbsent(id, canvas) {
    byId(id).style.display = "block";
    byId(canvas).parentNode.style.display = "none";
  }

  function drawThroughput() {
    const rows = done.filter((row) => row.rate);
    if (!rows.length) { hideSection("throughput-section"); return; }
    const cases = casesOf(rows);
    const modes = [...new Set(rows.map((row) => row.mode))];
    const datasets = modes.map((mode) => {
      const found = cases.map(([index]) => rows.find((row) => row.case === index && row.mode === mode));
      return bars(mode, modeColor(mode), found.map((row) => row ? row.rate[0] : null),
                  found.map((row) => row ? [row.rate[1], row.rate[2]] : null));
    });
    const scale = valueAxis(rows.map((row) => row.rate[0]), "steps per second", shortNumber);
    horizontalBars("throughput", cases, datasets, scale, { plugins: [whiskers],
      label: (item) => item.dataset.label + ": " + shortNumber(item.raw) + " steps/s (" +
             item.dataset.spread[item.dataIndex].map(shortNumber).join(" to ") + ")" });
  }

  /// Stacked to 100 %: runs of milliseconds and of hours are beside each other.
  function drawPhases() {
    const rows = done.filter((row) => row.phases);
    if (!rows.length) { hideSection("phases-section"); return; }
    const sums = rows.map((row) => sumOf(row.phases));
    const cases = rows.map((row, index) => [index, shortLabel(row.label) + ", " + row.mode + ": " + seconds(sums[index])]);
    const datasets = data.phaseNames.map((name, phase) => Object.assign(
      bars(name, color("phase-" + phase), rows.map((row, index) => sums[index] > 0 ? 100 * row.phases[phase] / sums[index] : 0)),
      { borderRadius: 0 })).filter((set) => set.data.some((value) => value > 0));
    horizontalBars("phases", cases, datasets, axis("% of the time in all", { stacked: true, min: 0, max: 100 }), { stacked: true,
      label: (item) => item.dataset.label + ": " + seconds(item.raw * sums[item.dataIndex] / 100) + ", " + item.raw.toFixed(1) + " %" });
  }

  function drawHybrid() {
    const rows = done.filter((row) => row.hybridFigure !== null);
    if (!rows.length) { showAbsent("hybrid-absent", "hybrid"); return; }
    const cases = casesOf(rows);
    const values = cases.map(([index]) => rows.find((row) => row.case === index).hybridFigure);
    const scale = axis("rate(hybrid) / (rate(cpu) + rate(gpu))", { min: 0, suggestedMax: 1.1 });
    horizontalBars("hybrid", cases, [bars("hybrid figure", color("hybrid"), values)], scale,
                   { plugins: [unity], label: (item) => item.raw.toFixed(3) });
  }

  function drawScaling() {
    const groups = new Map();
    done.filter((row) => row.rate && row.threads).forEach((row) => {
      const key = row.scalingKey + " " + row.mode;
      if (!groups.has(key)) groups.set(key, []);
      groups.get(key).push(row);
    });
    const series = [...groups.values()].filter((rows) => new Set(rows.map((row) => row.threads)).size > 1);
    if (!series.length) { showAbsent("scaling-absent", "scaling"); return; }
    const datasets = [];
    // Every series of a mode has a look of its own: 40 of them differ.
    const dashes = [[], [7, 3], [2, 2], [9, 3, 2, 3]];
    const points = ["circle", "rect", "triangle", "star", "rectRot", "cross", "crossRot", "rectRounded", "line", "dash"];
    const perMode = {};
    series.forEach((rows) => {
      rows.sort((a, b) => a.threads - b.threads);
      const fill = modeColor(rows[0].mode);
      const nth = perMode[rows[0].mode] = (perMode[rows[0].mode] ?? -1) + 1;
      const values = rows.map((row) => ({ x: row.threads, y: row.rate[0] }));
      const look = { borderColor: fill, backgroundColor: fill, borderWidth: 2, pointRadius: 5,
                     borderDash: dashes[Math.floor(nth / points.length) % dashes.length], pointStyle: points[nth % points.length] };
      const name = shortLabel(rows[0].scalingLabel) + ", " + rows[0].mode;
      datasets.push(Object.assign({ label: name, data: values }, look));
      const last = values[values.length - 1];
      datasets.push({ label: name, data: [values[0], { x: last.x, y: values[0].y * last.x / values[0].x }], borderColor: fill,
                      borderWidth: 1, borderDash: [1, 4], pointRadius: 0, ideal: true });
    });
    const threads = [...new Set(series.flat().map((row) => row.threads))].sort((a, b) => a - b);
    byId("scaling").parentNode.style.height = 380 + 20 * series.length + "px";
    new Chart(byId("scaling"), { type: "line", data: { datasets }, options: {
      maintainAspectRatio: false, animation: false,
      scales: { x: axis("CPU threads", { type: "logarithmic", min: Math.min(...threads) / 1.15, max: Math.max(...threads) * 1.15,
                  afterBuildTicks: (scale) => { scale.ticks = threads.map((value) => ({ value })); },
                  ticks: { color: color("soft"), maxRotation: 0, autoSkip: false, callback: (value) => String(value) } }),
                y: axis("steps per second", { type: "logarithmic", ticks: logTicks(shortNumber) }) },
      plugins: { legend: { align: "start", labels: { color: color("text"), usePointStyle: true, filter: (item, chart) => !chart.datasets[item.datasetIndex].ideal } },
                 tooltip: { filter: (item) => !item.dataset.ideal,
                            callbacks: { label: (item) => item.dataset.label + ": " + shortNumber(item.raw.y) + " steps/s on " + item.raw.x + " threads" } } }
    } });
  }

  function drawComparison() {
    const rows = done.filter((row) => row.comparedSeconds && row.wall);
    if (!rows.length) { hideSection("comparison-section"); return; }
    byId("comparison-note").textContent = "Seconds for the whole request: " + data.comparedName + " and the median of ours, " +
      "tables, set-up and results included. The axis is logarithmic; shorter is better.";
    const cases = casesOf(rows);
    const modes = [...new Set(rows.map((row) => row.mode))];
    const datasets = [bars(data.comparedName, color("other"), cases.map(([index]) => rows.find((row) => row.case === index).comparedSeconds))];
    modes.forEach((mode) => datasets.push(bars("slicepool, " + mode, modeColor(mode), cases.map(([index]) => {
      const row = rows.find((candidate) => candidate.case === index && candidate.mode === mode);
      return row ? row.wall[0] : null;
    }))));
    const scale = axis("seconds (logarithmic)", { type: "logarithmic", ticks: logTicks(seconds) });
    horizontalBars("comparison", cases, datasets, scale, { label: (item) => item.dataset.label + ": " + seconds(item.raw) });
  }

  // --- timelines -----------------------------------------------------------------------------------------
  let depthChart = null;
  function drawStrips(run) {
    const box = byId("strips");
    box.replaceChildren();
    const idle = run.workers.filter((worker) => worker.share === 0);
    run.workers.forEach((worker, index) => {
      if (idle.length > 2 && idle.includes(worker)) return;
      const samples = run.utilisation[index] || [];
      const canvas = document.createElement("canvas");
      canvas.width = Math.max(1, samples.length);
      canvas.height = 1;
      const context = canvas.getContext("2d");
      samples.forEach((value, x) => {
        context.fillStyle = "rgba(" + color("busy") + "," + Math.min(1, Math.max(0, value)).toFixed(3) + ")";
        context.fillRect(x, 0, 1, 1);
      });
      canvas.style.imageRendering = "pixelated";
      const mean = samples.length ? sumOf(samples) / samples.length : 0;
      canvas.setAttribute("role", "img");
      canvas.setAttribute("aria-label", worker.name + " busy " + (100 * mean).toFixed(0) + " %");
      box.append(element("span", worker.name + (worker.device ? " (" + worker.device + ")" : "")), canvas,
                 element("span", (100 * mean).toFixed(0) + " % busy, " + (100 * worker.share).toFixed(1) + " % of the steps" +
                         deviceTimes(worker)));
    });
    if (idle.length > 2) box.append(element("span", idle.length + " more idle", "wide"));
  }
  function deviceTimes(worker) {
    if (worker.kind === "cpu" || typeof worker.first_seconds !== "number") return "";
    return [["first slice after", worker.first_seconds], ["exchanges", worker.exchange_seconds],
            ["waiting", worker.waiting_seconds], ["last slice at", worker.last_seconds]]
      .map(([what, time]) => ", " + what + " " + seconds(time)).join("");
  }
  function drawTimeline(run) {
    drawStrips(run);
    if (depthChart) depthChart.destroy();
    const points = run.poolDepth.map((depth, index) => ({ x: index * run.interval * 1e3, y: depth }));
    depthChart = new Chart(byId("depth"), { type: "line",
      data: { datasets: [{ label: "slices in the pool", data: points, borderColor: color("cpu"), backgroundColor: "transparent", borderWidth: 1.5, pointRadius: points.length < 3 ? 3 : 0 }] },
      options: { maintainAspectRatio: false, animation: false, plugins: { legend: { display: false } },
                 scales: { x: axis("milliseconds since the first slice", { type: "linear" }), y: axis("slices in the pool", { beginAtZero: true }) } } });
  }
  function drawTimelines() {
    const picker = byId("timeline-picker");
    if (!data.timelines.length) {
      showAbsent("timeline-absent", "depth");
      picker.parentNode.style.display = "none";
      return;
    }
    data.timelines.forEach((run, index) => {
      const option = element("option", shortLabel(run.label) + " · " + run.mode + " · " + seconds(run.seconds));
      option.value = String(index);
      picker.append(option);
    });
    const lengths = data.timelines.map((run) => run.seconds);
    const longest = lengths.indexOf(Math.max(...lengths));
    picker.value = String(longest);
    picker.addEventListener("change", () => drawTimeline(data.timelines[Number(picker.value)]));
    drawTimeline(data.timelines[longest]);
  }

  // --- pictures of solutions -----------------------------------------------------------------------------
  function drawPictures() {
    if (!(data.pictures || []).length) { hideSection("pictures-section"); return; }
    const svg = (name, attributes) => {
      const node = document.createElementNS("http://www.w3.org/2000/svg", name);
      Object.entries(attributes).forEach(([key, value]) => node.setAttribute(key, value));
      return node;
    };
    data.pictures.forEach((picture) => {
      const n = picture.n;
      const board = svg("svg", { viewBox: "-0.6 -0.6 " + (n + 0.2) + " " + (n + 0.2), width: 220, height: 220, role: "img",
                                 "aria-label": picture.points.length + " points on a grid of " + n + " x " + n });
      for (let i = 0; i < n; ++i) {
        for (const line of [{ x1: 0, y1: i, x2: n - 1, y2: i }, { x1: i, y1: 0, x2: i, y2: n - 1 }])
          board.append(svg("line", Object.assign(line, { stroke: color("soft"), "stroke-width": 0.03 })));
      }
      picture.points.forEach(([x, y]) => board.append(svg("circle", { cx: x, cy: y, r: 0.32, fill: color("cpu") })));
      const figure = element("figure");
      figure.append(board, element("figcaption", picture.label));
      byId("pictures").append(figure);
    });
  }

  // --- table ---------------------------------------------------------------------------------------------
  function columns() {
    const outside = [];
    for (const [source, title] of [["published", "published"], ["reference", "reference"]]) {
      for (const [group, what] of [["seconds", ""], ...data.times.map((time) => [time.member, " " + time.column])]) {
        const names = new Set();
        data.rows.forEach((row) => Object.keys(row[source][group] || {}).forEach((name) => names.add(name)));
        names.forEach((name) => outside.push({
          head: title + " " + name.replaceAll("_", " ") + what,
          text: (row) => seconds((row[source][group] || {})[name]) }));
      }
    }
    const publishedCount = (row) => row.published.count === undefined ? "" : grouped(row.published.count) + (row.publishedCountWrong ? " wrong" : "");
    const mine = [
      { head: "case", left: true, text: (row) => shortLabel(row.label) },
      { head: "mode", left: true, text: (row) => row.mode, dot: true },
      { head: "algorithm", left: true, text: (row) => row.algorithm },
      { head: "count", text: (row) => grouped(row.count) },
      { head: "published count", text: publishedCount, wrong: (row) => row.publishedCountWrong },
      { head: "checked against", left: true, text: (row) => row.verification, wrong: (row) => row.verification === "DIFFERS" },
      { head: "enumeration", text: (row) => row.seconds ? seconds(row.seconds[0]) : "" },
      { head: "min – max", text: (row) => row.seconds && row.repetitions > 1 ? seconds(row.seconds[1]) + " – " + seconds(row.seconds[2]) : "" },
      { head: "in all", text: (row) => row.wall ? seconds(row.wall[0]) : "" },
      ...data.times.map((time, i) => ({ head: time.title, text: (row) => seconds(row.extraSeconds[i]) })),
      { head: "steps/s", text: (row) => row.rate ? shortNumber(row.rate[0]) : row.insteadOfRate },
      { head: "× cpu", text: (row) => row.mode === "cpu" ? "" : (row.speedUncertain ? "~" : "") + ratio(row.speedOverCpu) },
      { head: "hybrid figure", text: (row) => ratio(row.hybridFigure) }
    ];
    const last = data.comparedName ? [{ head: "× " + data.comparedName, text: (row) => ratio(row.speedOverCompared) }] : [];
    return mine.concat(outside, last).filter((column) => data.rows.some((row) => column.text(row)));
  }
  function drawTable() {
    const table = byId("summary");
    const shown = columns();
    const head = element("tr");
    shown.forEach((column) => head.append(element("th", column.head, column.left ? "left" : "")));
    const top = element("thead");
    top.append(head);
    const body = element("tbody");
    let previous = null;
    data.rows.forEach((row) => {
      const line = element("tr", null, previous !== null && previous !== row.case ? "case-start" : "");
      shown.forEach((column, index) => {
        const cell = element("td", null, (column.left ? "left" : "") + (column.dot ? " whole" : "") + (column.wrong && column.wrong(row) ? " wrong" : ""));
        if (column.dot) {
          const dot = element("span", null, "dot");
          dot.style.background = modeColor(row.mode);
          cell.append(dot);
        }
        const repeated = index === 0 && previous === row.case;
        cell.append(repeated ? "" : column.text(row) || (column.head === "checked against" ? row.status : ""));
        line.append(cell);
      });
      body.append(line);
      previous = row.case;
      if (row.status !== "done" && row.reason) {
        const why = element("tr");
        const cell = element("td", row.mode + " " + row.status + ": " + row.reason, "left muted");
        cell.colSpan = shown.length;
        why.append(cell);
        body.append(why);
      }
    });
    table.append(top, body);
    if (data.rows.some((row) => row.speedUncertain)) byId("uncertain").style.display = "block";
  }

  Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
  Chart.defaults.font.size = 12;
  byId("step").textContent = data.step;
  drawHead();
  drawTiles();
  drawPictures();
  drawThroughput();
  drawPhases();
  drawHybrid();
  drawScaling();
  drawComparison();
  drawTimelines();
  drawTable();
  byId("footer").textContent = "Sweep " + data.sweepHash + ". Every figure is in results.jsonl and summary.csv beside this page. Charts: Chart.js (MIT licence), included in this file.";
})();
