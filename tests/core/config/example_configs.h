#pragma once

namespace runahead::config {

/// A config of each kind, with values of each kind.
inline constexpr const char* kExampleConfigs[] = {

    R"({"experiment": "train"})",
    R"({"experiment": "train", "device": "cuda:3", "seed": 18446744073709551615,
          "model": {"layers": [7], "activation": "leaky_relu", "init": "gluon"},
          "data": {"targets": {"value": 0.25, "width": 7}, "made": "beforehand", "prefetch": 2,
                   "seconds_per_batch": "15ms"},
          "optimizer": {"kind": "adamw", "weight_decay": 0.1}, "loss": "huber",
          "sync": {"policy": "every_n", "n": 3, "wait": "print"}})",
    R"({"experiment": "train", "sync": {"policy": "window", "batches": 4},
          "acpu": {"workers": 8, "ready_order": "first_ready", "allocation": "at_issue",
                   "limit": {"operations": 5, "seconds": "1.5min"}}})",
    R"({"experiment": "train", "sync": {"policy": "budget", "bytes": "64MiB"}})",
    R"({"experiment": "train", "warmup_batches": 0, "loss": "cross_entropy",
          "model": {"layers": [9, 3], "normalization": "layer", "dropout": 0.25},
          "data": {"kind": "files", "inputs": {"path": "a.npz", "name": "x", "scale": 0.5},
                   "targets": {"path": "a.npz", "name": "y"}, "last_batch": "keep",
                   "shuffle": false, "loader_threads": 3, "loader_ahead": 4},
          "evaluation": {"every": 5, "inputs": {"path": "b"}, "targets": {"path": "c"}},
          "checkpoint": {"path": "d", "every": 7}})",
    R"({"experiment": "predict", "data": {"features": 12},
          "model": {"kind": "torchscript", "path": "m.pt", "input_shape": [3, 2, 2]}})",
    R"({"experiment": "train", "sync": {"policy": "adaptive", "ceiling": 1000}})",
    R"({"experiment": "train", "device": "cuda", "log_every": 50,
          "cuda": {"staging": "pinned_ring", "copies": "side_reuse", "buffers": 8,
                   "allocator": "cuda_malloc_async"}})",
    R"({"experiment": "train", "cuda": {"staging": "pinned", "copies": "side_record_stream",
          "expandable_segments": true}})",
    R"({"experiment": "train", "sync": {"policy": "none"}, "acpu": {"limit": "off"}})",
    R"({"experiment": "dispatch", "size": 10, "queue": {"operations": 5, "size": 3}})",
    R"({"experiment": "increment", "shape": [3], "operations": [5],
          "fitted_operations": [1, 2]})",
    R"({"experiment": "graph", "branches": 2, "branch_operations": 3, "schedules": 4})",
    R"({"experiment": "data_iter", "batches": 150, "print_every": 25, "repeats": 2})",
    R"({"experiment": "predict", "outputs": "kept"})",
    R"({"experiment": "exercise", "elements": [2, 4], "increments": 10})",
    R"({"experiment": "increment", "seconds_per_increment": "10us"})",
    R"({"experiment": "launch_queue", "device": "cuda", "hold_seconds": "500ms", "launches": 9,
          "shape": [3], "outputs": "kept"})",
    R"({"experiment": "front_end", "delay_percent": [0, 200], "warmup_repeats": 0})",
    R"({"experiment": "program", "command": ["python", "train.py", "{n}"], "arguments": {"n": 64},
          "environment": {"NAME": "{n}", "FLAG": true}, "monitor": {"rate_hz": 10}})"};

}  // namespace runahead::config
