#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Training logs in the forms that programs write: which series is judged, at which steps, and the options for forms that
nobody knows.

VERNIER names the program.
"""
import csv
import gzip
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unicodedata
import unittest

VERNIER = os.environ["VERNIER"]

# Name, text of the log, steps and values of the judged loss, and what another series holds.
FORMS = (
    ("mmdet", "x - mmdet - INFO - Epoch [1][50/200]\tlr: 1e-02, eta: 0:01:00, loss_cls: 0.2, loss: 9.0, grad_norm: 2.5\n"
              "x - mmdet - INFO - Epoch [2][50/200]\tlr: 2e-02, eta: 0:01:00, loss_cls: 0.1, loss: 8.0, grad_norm: 2.0\n",
     [(50, 9), (250, 8)], {"grad_norm": [(50, 2.5), (250, 2)]}),
    ("mmengine", "Epoch(train)  [1][ 50/100]  lr: 1e-02  time: 0.5  loss: 9.0\nEpoch(val)  [1][5/5]    coco/AP: 0.3  time: 9\n"
                 "Epoch(train)  [2][ 50/100]  lr: 1e-02  time: 0.6  loss: 8.0\nEpoch(val)  [2][5/5]    coco/AP: 0.4  time: 9\n",
     [(50, 9), (150, 8)], {"time": [(50, 0.5), (150, 0.6)], "coco/AP": [(50, 0.3), (150, 0.4)]}),
    ("swin", "Train: [0/3][0/40]\teta 0:10:52 lr 0.01\tloss 6.5 (6.3)\nTrain: [1/3][0/40]\teta 0:10:52 lr 0.02\tloss 5.5 (6.1)\n",
     [(0, 6.5), (40, 5.5)], {"lr": [(0, 0.01), (40, 0.02)]}),
    ("detr", "Epoch: [0]  [ 10/40]  eta: 0:01  lr: 0.1  loss: 6.5 (6.3)\nAveraged stats: lr: 0.1  loss: 1.0 (1.0)\n"
             "Test:  [ 0/10]  loss: 99.0 (99.0)\nEpoch: [1]  [ 10/40]  eta: 0:01  lr: 0.1  loss: 5.5 (6.3)\n", [(10, 6.5), (50, 5.5)], {}),
    ("fairseq", "| train_inner | epoch 001:    100 / 250 loss=9.0, num_updates=100, lr=1e-6, gnorm=4.5\n"
                "| train_inner | epoch 002:     50 / 250 loss=8.0, num_updates=300, lr=1e-6, gnorm=4.0\n",
     [(100, 9), (300, 8)], {"grad_norm": [(100, 4.5), (300, 4)]}),
    ("espnet", "INFO: 1epoch:train:1-600batch: loss=61.9, lr_0=1e-05\nINFO: 2epoch:train:1-600batch: loss=51.9, lr_0=2e-05\n",
     [(600, 61.9), (1200, 51.9)], {"lr": [(600, 1e-5), (1200, 2e-5)]}),
    ("pytorch", "Train Epoch: 1 [0/60 (0%)]\tLoss: 2.5\nTrain Epoch: 1 [30/60 (50%)]\tLoss: 2.0\nTrain Epoch: 2 [0/60 (0%)]\tLoss: 1.5\n",
     [(0, 2.5), (30, 2), (60, 1.5)], {}),
    ("epochs", "Epoch 1/2, Step 10/20, loss: 5.0\nEpoch 1/2, Step 20/20, loss: 4.0\nEpoch 2/2, Step 10/20, loss: 3.0\n",
     [(10, 5), (20, 4), (30, 3)], {}),
    ("steps over epochs", "epoch 1 step 10 loss: 5.0\nepoch 1 step 20 loss: 4.0\nepoch 2 step 30 loss: 3.0\n", [(10, 5), (20, 4), (30, 3)], {}),
    ("epochs only", "Epoch 5, Time 4.5s, Loss 0.5, LR 0.1\nEpoch 10, Time 4.5s, Loss 0.4, LR 0.1\n", [(5, 0.5), (10, 0.4)], {}),
    ("epochs of unknown length", "epoch: 0, batch_id: 0, loss:7.0\nepoch: 0, batch_id: 500, loss:6.0\nepoch: 1, batch_id: 0, loss:5.0\n",
     [(0, 7), (500, 6), (1000, 5)], {}),
    ("batches", "Epoch 1 - Batch loss: 9.0\nEpoch 1 - Batch loss: 8.0\nEpoch 2 - Batch loss: 7.0\n", [(1, 9), (2, 8), (3, 7)], {}),
    ("headings", "[step=1/700,epoch=0]\n    train/CrossEntropyLoss=12.5\n    train/Perplexity=105,000\n[step=3/700,epoch=0]\n"
                 "    train/CrossEntropyLoss=11.5\n    train/Perplexity=95,000\n", [(1, 12.5), (3, 11.5)], {"Perplexity": [(1, 105000), (3, 95000)]}),
    ("names with blanks below a heading", "".join(
        "2025-01-15 08:23:01.1\thost:0\tconsole:105\tINFO\t[step=%d/700,epoch=1,eta=0:01:00]\n    optim/LR (group 0)=%s\n"
        "    optim/total grad norm=%s\n    throughput/total tokens=4,096\n    train/CE loss=%s\n    train/Z loss=0.001\n" % row
        for row in ((1, "1.00E-05", "2.125", "12.53"), (3, "0.0003", "1.750", "11.25"))), [(1, 12.53), (3, 11.25)],
     {"lr": [(1, 1e-5), (3, 3e-4)], "grad_norm": [(1, 2.125), (3, 1.75)], "loss.Z_loss": [(1, 0.001), (3, 0.001)]}),
    ("losses behind the words that say so, and a speed in capitals", "".join(
        "(step=%07d) Train Loss mse: %s, Train Loss ce: %s, Train Steps/Sec: 0.5, Val Loss ce: 3.5,\n" % row
        for row in ((10, "0.50", "2.50"), (20, "0.25", "2.25"))), [],
     {"loss.Train_Loss_mse": [(10, 0.5), (20, 0.25)], "loss.Train_Loss_ce": [(10, 2.5), (20, 2.25)]}),
    ("steps whose padding differs at the end of each epoch", "".join(
        "Train Epoch: %3d  Step: %3d  [%4d/ 128 (%5.1f%%)]  Loss: %f  lr_0:  0.5\n" % (1 + i // 4, i % 4 + 1, 32 * (i % 4 + 1), 25 * (i % 4 + 1), 9.5 - i / 2)
        for i in range(12)), [(i + 1, 9.5 - i / 2) for i in range(12)], {}),
    ("a total beside parts whose names have hyphens", "".join(
        "[Epoch 0/2] [Batch %d/40] [Total Loss %s][Pixel-scale Loss %s][Edge Loss 0.25]\n" % row for row in ((0, 9.5, 4.5), (10, 9.0, 4.25), (20, 8.5, 4.0))),
     [(0, 9.5), (10, 9), (20, 8.5)], {"loss.Pixel-scale_Loss": [(0, 4.5), (10, 4.25), (20, 4)]}),
    ("a comma for the point behind a name alone", "step 10: loss 9,5123, lr 0,001\nstep 20: loss 8,2512, lr 0,002\n",
     [(10, 9.5123), (20, 8.2512)], {"lr": [(10, 0.001), (20, 0.002)]}),
    ("Russian", "".join("Шаг %d: потеря = %s, скорость обучения = 0.5\n" % row for row in ((10, 2.5), (20, 2.25))), [(10, 2.5), (20, 2.25)],
     {"lr": [(10, 0.5), (20, 0.5)]}),
    ("a total of losses with names of their own", "".join("step %d | loss 1: %s | loss 2: 0.5 | total: %s\n" % row for row in ((1, 2.5, 3), (2, 2.25, 2.75))),
     [(1, 3), (2, 2.75)], {"loss.loss_1": [(1, 2.5), (2, 2.25)]}),
    ("fields of which no bar ends the last", "".join("iteration %d/60 | elapsed: 12.5 | loss: %s | grad norm: %s\n" % row for row in ((1, 2.5, 1.5), (2, 2.25, 1.25))),
     [(1, 2.5), (2, 2.25)], {"grad_norm": [(1, 1.5), (2, 1.25)]}),
    ("counts of a loss are none", "step 1 loss: 2.5 Loss points: 60\nstep 2 loss: 2.25 Loss points: 50\n", [(1, 2.5), (2, 2.25)],
     {"points": [(1, 60), (2, 50)]}),
    ("a dict that begins behind a logger below a heading", "".join(
        "INFO:tensorflow:Step %d per-step time 0.114s\nINFO:tensorflow:{'Loss/classification_loss': %s,\n 'Loss/total_loss': %s,\n"
        " 'learning_rate': 0.5}\n" % row for row in ((100, "0.75", "2.5"), (200, "0.5", "2.25"))), [(100, 2.5), (200, 2.25)],
     {"loss.Loss/classification_loss": [(100, 0.75), (200, 0.5)], "lr": [(100, 0.5), (200, 0.5)]}),
    ("boxes of losses without the word alone", "".join(
        "------------\n| Epoch | %d |\n| AverageEpRet | -101 |\n| LossPi | %s |\n------------\n" % row
        for row in ((1, "2.5"), (2, "2.25"), (3, "2.0"))), [(1, 2.5), (2, 2.25), (3, 2)],
     {"AverageEpRet": [(1, -101), (2, -101), (3, -101)]}),
    ("a rate alone above or below the loss of its epoch", "".join(
        "2024-01-01 10:00:3%d.12: Epoch %d\n2024-01-01 10:00:44.12: Current learning rate: %s\n2024-01-01 10:00:55.12: train_loss %s\n"
        "2024-01-01 10:00:56.12: val_loss 2.75\n" % row for row in ((1, 0, "0.5", "2.5"), (2, 1, "0.25", "2.25"))) +
     "Epoch 2\ntrain_loss 2.0\nlearning rate: 0.125\nEpoch 3\ntrain_loss 1.5\n",
     [(0, 2.5), (1, 2.25), (2, 2), (3, 1.5)], {"lr": [(0, 0.5), (1, 0.25), (2, 0.125)]}),
    ("steps below which a heading names the epoch of their mean", "".join(
        "Epoch %d Step 0 Loss %s\nEpoch %d Step 20 Loss %s\n\nEpoch %d Completed\nAverage Loss: 9.5\nValidation Accuracy: 7%d.5%%\n\n"
        % (e, a, e, b, e, e) for e, a, b in ((1, 2.5, 2.25), (2, 2.0, 1.5), (3, 1.25, 1.0))),
     [(0, 2.5), (20, 2.25), (40, 2), (60, 1.5), (80, 1.25), (100, 1)], {}),
    ("a mean of each epoch beside its batches", "".join(
        "Epoch %d/300 0/1000 loss: %s time 1.5s\nEpoch %d/300 200/1000 loss: %s time 1.5s\nFinal training  %d/299 loss: 9.%d time 7.5s\n"
        % (e, a, e, b, e, e) for e, a, b in ((0, 2.5, 2.25), (1, 2.0, 1.5), (2, 1.25, 1.0))),
     [(0, 2.5), (200, 2.25), (1000, 2), (1200, 1.5), (2000, 1.25), (2200, 1)], {}),
    ("a mean of each epoch that says its steps", "".join(
        "\titers: 50, epoch: %d | loss: %s\n\titers: 100, epoch: %d | loss: %s\n"
        "Epoch: %d, Steps: 263 | Train Loss: 9.%d Vali Loss: 8.%d Test Loss: 7.5\n" % (e, a, e, b, e, e, e)
        for e, a, b in ((1, 2.5, 2.25), (2, 2.0, 1.5), (3, 1.25, 1.0))),
     [(50, 2.5), (100, 2.25), (150, 2), (200, 1.5), (250, 1.25), (300, 1)], {}),
    ("a value in the data of its name", "".join(
        '{"name": "loss", "data": {"epoch": 0.%d, "step": %d, "value": %s, "timestamp": "2023-09-26T19:25:18.7"}}\n' % (n, n, 9.5 - n / 2)
        for n in range(1, 5)), [(n, 9.5 - n / 2) for n in range(1, 5)], {}),
    ("lines of several evaluations of LightGBM", "".join(
        "[LightGBM] [Info] Iteration:%d, training auc : 0.9586\n[LightGBM] [Info] Iteration:%d, training binary_logloss : %s\n"
        "[LightGBM] [Info] Iteration:%d, valid_1 binary_logloss : %s\n" % (n, n, 9.5 - n, n, 9.75 - n) for n in (1, 2, 3, 4)),
     [(n, 9.5 - n) for n in (1, 2, 3, 4)], {"eval_binary_logloss": [(n, 9.75 - n) for n in (1, 2, 3, 4)]}),
    ("a word of Chinese behind an English name", "".join("训练步 %d: 当前loss为%s, 学习率为1e-05\n" % row for row in ((10, 2.5), (20, 2.25), (30, 2.0))),
     [(10, 2.5), (20, 2.25), (30, 2)], {"lr": [(n, 1e-5) for n in (10, 20, 30)]}),
    ("Korean", "".join("에포크 %d/9, 학습 손실: %s, 검증 손실: %s\n" % row for row in ((1, 2.5, 2.75), (2, 2.25, 2.5))),
     [(1, 2.5), (2, 2.25)], {"eval_loss": [(1, 2.75), (2, 2.5)]}),
    ("a block of rsl_rl with all its steps", "".join(
        "####\n       Learning iteration %d/20       \n\n       Total steps: %d \n       Mean value loss: %s\n       Mean reward: -4.5\n----\n"
        % (n, 512 * n + 512, 9.5 - n) for n in range(4)), [(n, 9.5 - n) for n in range(4)], {}),
    ("losses after an epoch, below the same sentence of a test", "".join(
        "train loss after epoch %d =  %s\ntrain mpjpe after epoch %d =  12.5\ntest loss after epoch %d =  %s\n" % (e, a, e, e, b)
        for e, a, b in ((1, 2.5, 2.75), (2, 2.25, 2.5), (3, 2.0, 2.25))),
     [(1, 2.5), (2, 2.25), (3, 2)], {"eval_loss": [(1, 2.75), (2, 2.5), (3, 2.25)]}),
    ("dicts of which a logger says a part", "".join("INFO:trainer:{'loss': %.4f, 'lr': 1.0e-05, 'epoch': 0.%d}\n{'loss': %.4f, 'grad_norm': %d.5, 'lr': 1e-05, 'epoch': 0.%d}\n" % (v, n, v, n, n)
                                                    for n, v in enumerate((2.5, 2.25, 2.125), 1)), [(1, 2.5), (2, 2.25), (3, 2.125)], {"grad_norm": [(1, 1.5), (2, 2.5), (3, 3.5)]}),
    *((f"dicts that a logger says again{' first' * first}", "".join(
        (lambda dict_, line: line + dict_ if first else dict_ + line)("{'loss': %.4f, 'lr': 1e-05, 'epoch': 0.%d}\n" % (v, n), "INFO:trainer:{'loss': %.4f, 'lr': 1e-05, 'epoch': 0.%d}\n" % (v, n))
        for n, v in enumerate((2.5125, 2.25, 2.125, 2.0625), 1)), [(n, v) for n, v in enumerate((2.5125, 2.25, 2.125, 2.0625), 1)], {})
      for first in (False, True)),
    ("two counters of which one stays", "".join(
        "Epoch 1 | iter %d step %d | loss train: %s, val: n/a | iter time: 90.5 ms%s\n" % (n, n // 4, 9.5 - n / 2, " (step)" if n % 4 == 0 else "")
        for n in range(1, 10)), [(n, 9.5 - n / 2) for n in range(1, 10)], {}),
    ("batches of the first epoch", "".join(
        "Epoch  1, %d/37527; acc:   3.5; xent:   %s; 3438 src tok/s;   90 s elapsed\n" % row for row in ((50, 2.5), (100, 2.25), (150, 2.0))),
     [(50, 2.5), (100, 2.25), (150, 2)], {}),
    ("blocks with a counter on top and another at their end", "".join(
        "Result for PPO:\n  timesteps_total: %d\n  date: 2022-07-27_15-41-0%d\n  info:\n    total_loss: %s\n    lr: 0.5\n  training_iteration: %d\n"
        % (4000 * n, n, 9.5 - n / 2, n) for n in range(1, 5)), [(4000 * n, 9.5 - n / 2) for n in range(1, 5)], {}),
    ("an evaluation below the bar of its epoch", "".join(
        "100%% 10/10 [00:15<00:00,  3.24it/s, train_loss=%s]\n100%% 4/4 [00:02<00:00, 26.8it/s]\n"
        "train_logger - Epoch: %d, lr: 0.5 - train loss: %s - valid loss: %s, valid error: 3.5e-01\n" % (a, e, a, b)
        for e, a, b in ((1, 2.5, 2.75), (2, 2.25, 2.5))), [(10, 2.5), (20, 2.25)], {"eval_loss": [(10, 2.75), (20, 2.5)]}),
    ("a heading that ends with its step", "".join(
        "I0101 10:00:42.12 140 summary_utils.py:380] Metrics values at step %d:\nI0101 10:00:43.12 140 summary_utils.py:380]   loss=%s\n"
        "I0101 10:00:43.12 140 summary_utils.py:380]   learning/lr=0.5\n" % row for row in ((10, 2.5), (20, 2.25))), [(10, 2.5), (20, 2.25)],
     {"lr": [(10, 0.5), (20, 0.5)]}),
    ("numbers that are tensors or lists", "epoch: 0, batch_id: 0, loss is: [2.5], acc is: [0.5]\nepoch: 0, batch_id: 10, loss is: [2.25], acc is: [0.5]\n",
     [(0, 2.5), (10, 2.25)], {}),
    ("numbers of TensorFlow", "Step 0, loss: tf.Tensor(2.5, shape=(), dtype=float32)\nStep 1, loss: tf.Tensor(2.25, shape=(), dtype=float32)\n",
     [(0, 2.5), (1, 2.25)], {}),
    ("epochs and batches behind a bar of CenterNet", "".join(
        "ctdet/exp |#   | train: [%d][%d/100]|Tot: 0:00:21 |ETA: 0:10:20 |loss %s |hm_loss 0.5 |Data 0.6s(0.1s) |Net 0.9s\n" % row
        for row in ((1, 0, 2.5), (1, 50, 2.25), (2, 0, 2.0))), [(0, 2.5), (50, 2.25), (100, 2)],
     {"loss.hm_loss": [(0, 0.5), (50, 0.5), (100, 0.5)]}),
    ("printed lines in an array", json.dumps([{"insertId": str(i), "textPayload": line, "timestamp": "2024-01-01T10:00:00Z"} for i, line in enumerate(
        ("Starting", "step: 10, loss: 2.5", "step: 20, loss: 2.25"))], indent=2), [(10, 2.5), (20, 2.25)], {}),
    ("evaluations below the heading of their progress", "".join(
        "[step=%d/60,epoch=1]\n    train/CE loss=%s\nRunning c4 evals...\n[eval=c4,step=1/5]\n[eval=c4,step=5/5]\n"
        "Finished c4 evals in 5.1 seconds. Metrics:\n    c4-validation/CE loss=%s\n" % row for row in ((10, 9.5, 9.75), (20, 9.0, 9.25))),
     [(10, 9.5), (20, 9)], {"c4-validation/CE_loss": [(10, 9.75), (20, 9.25)]}),
    ("evaluations of Composer", "".join(
        "[batch=%d/60]:\n\t Train loss/train/total: %s\n[Eval batch=1/5] Eval on eval data\n[Eval batch=5/5] Eval on eval data:\n"
        "\t Eval metrics/eval/LanguageCrossEntropy: %s\n" % row for row in ((10, 9.5, 9.75), (20, 9.0, 9.25))),
     [(10, 9.5), (20, 9)], {"metrics/eval/LanguageCrossEntropy": [(10, 9.75), (20, 9.25)]}),
    ("names of several losses below a heading", "".join(
        "#####\n      Learning iteration %d/60\n\n   Computation: 12345 steps/s (collection: 1.2s)\n  Mean value_function loss: %s\n"
        "   Mean surrogate loss: %s\n  Mean reward: 1.5\n" % row for row in ((1, "0.5", "-0.02"), (2, "0.25", "-0.01"))), [],
     {"loss.value_function_loss": [(1, 0.5), (2, 0.25)], "loss.surrogate_loss": [(1, -0.02), (2, -0.01)]}),
    ("a rate that begins at 0 below a heading", "".join(
        "[batch=%d/60]:\n\t Train time/batch: 0\n\t Train loss/train/total: %s\n\t Train lr-DecoupledAdamW/group0: %s\n\t Train time/hours: 0.5\n" % row
        for row in ((1, 9.5, "0.0"), (2, 9.0, "0.25"))), [(1, 9.5), (2, 9)], {"lr": [(1, 0), (2, 0.25)]}),
    ("a norm by its kind", "step,loss,Grad norm (L2)\n1,9.5,2.5\n2,9.0,2.25\n", [(1, 9.5), (2, 9)], {"grad_norm": [(1, 2.5), (2, 2.25)]}),
    ("a norm of training", '{"train_loss": 9.5, "train_grad_norm": 2.5, "epoch": 0}\n{"train_loss": 9.0, "train_grad_norm": 2.25, "epoch": 1}\n',
     [(0, 9.5), (1, 9)], {"grad_norm": [(0, 2.5), (1, 2.25)]}),
    ("no number above its mean", "epoch: [  1/ 90] step:[   1/    2], loss:[9.5/9.75], lr:[0.5]\n"
                                 "epoch: [  1/ 90] step:[   2/    2], loss:[9.25/9.5], lr:[0.5]\n"
                                 "epoch: [  2/ 90] step:[   1/    2], loss:[9.0/9.25], lr:[0.5]\n", [(1, 9.5), (2, 9.25), (3, 9)], {"lr": [(1, 0.5), (2, 0.5), (3, 0.5)]}),
    ("a total beside the loss of the language", "iteration: 1/60  total_loss: 7.5  lm_loss: 7.0  sop_loss: 0.5  lr: 0.01\n"
                                                "iteration: 2/60  total_loss: 6.5  lm_loss: 6.0  sop_loss: 0.5  lr: 0.01\n",
     [(1, 7.5), (2, 6.5)], {"loss.lm_loss": [(1, 7), (2, 6)]}),
    ("objects behind a word that count in epochs", "".join(
        'json_stats: {"_type": "train_iter", "epoch": "%d/2", "iter": "%d/2", "loss": %s, "lr": 0.5}\n' % row
        for row in ((1, 1, 9.5), (1, 2, 9.25), (2, 1, 9.0), (2, 2, 8.75))), [(1, 9.5), (2, 9.25), (3, 9), (4, 8.75)], {}),
    ("objects of an evaluation below those of training", "".join(
        'x | INFO | train_inner | {"epoch": 1, "loss": "%s", "num_updates": "%d", "gnorm": "2.5"}\n'
        'x | INFO | valid | {"epoch": 1, "valid_loss": "%s", "valid_num_updates": "%d"}\n' % row
        for row in ((9.5, 10, 9.75, 10), (9.0, 20, 9.25, 20))), [(10, 9.5), (20, 9)], {"eval_loss": [(10, 9.75), (20, 9.25)]}),
    ("objects above their bars", "".join(
        "{'loss': %s, 'epoch': 0.5}\n{'eval_loss': %s, 'epoch': 0.5}\n 50%%|##   | %d/20 [00:10<00:10,  1.2s/it]\n" % row
        for row in ((9.5, 9.75, 10), (9.0, 9.25, 20))), [(10, 9.5), (20, 9)], {"eval_loss": [(10, 9.75), (20, 9.25)]}),
    *((f"dicts {where} bars of others", top + "".join("{'loss': %g, 'epoch': %g}\n" % (9 - i / 8, i / 2) for i in range(1, 11)) + bar
       + "{'loss': 2.5, 'epoch': 6.0}\n", [(i, 9 - i / 8) for i in range(1, 11)] + [(11, 2.5)], {})
      for where, top, bar in (("below", "Loading checkpoint shards: 100%|##| 4/4 [00:10<00:00,  2.5s/it]\n", ""),
                              ("above", "", "Map: 45%|#| 450/900 [00:01<00:01, 450 examples/s]\n"),
                              ("beside", "100%|##| 4/4 [00:10<00:00,  2.5s/it]\n", "100%|##| 50/50 [00:05<00:00,  9.8it/s]\n"))),
    ("a dict that names the loss", "{'lr': 0.5, 'loss': 'cross_entropy', 'steps': 1000}\n{'loss': 9.5, 'lr': 0.25}\n{'loss': 9.0, 'lr': 0.25}\n",
     [(1, 9.5), (2, 9)], {"lr": [(1, 0.25), (2, 0.25)]}),
    ("lines with a dict below a heading", "saved checkpoint from iteration      40 to /ckpt\n" + "".join(
        "x -- step=%d loss=%g lr=0.5 grad_norm={'0_default': 1.5} micro_num=4\n" % (i, 9 - i / 8) for i in range(4)),
     [(i, 9 - i / 8) for i in range(4)], {"grad_norm": [(i, 1.5) for i in range(4)]}),
    ("English words and wide marks", "Step：1，Loss：9.5，LR：0.5\nStep：2，Loss：9.0，LR：0.25\n", [(1, 9.5), (2, 9)], {"lr": [(1, 0.5), (2, 0.25)]}),
    ("bars", "Steps:   0%|    | 1/400 [00:01<10:00, 1.00it/s, lr=1e-05, step_loss=9]\rSteps:   0%|    | 2/400 [00:02<10:00, 1.00it/s, "
             "lr=1e-05, step_loss=9]\rSteps:   0%|    | 2/400 [00:02<10:00, 1.00it/s, lr=1e-05, step_loss=8.5]\n", [(1, 9), (2, 8.5)], {}),
    ("bars of epochs", "Epoch 0: 50%|#  | 1/2 [00:01<00:05, 1it/s, loss=9.5]\nEpoch 0: 100%|##| 2/2 [00:02<00:00, 1it/s, loss=9.0]\n"
                       "Epoch 1: 50%|#  | 1/2 [00:01<00:05, 1it/s, loss=8.5]\n", [(1, 9.5), (2, 9), (3, 8.5)], {}),
    ("bars of epochs with a counter over all", "".join("\r%d|%d|Loss: %s: 50%%|#  | %d/2 [00:01<00:05, 1it/s]" % (e, g, 10 - g, 2 - g % 2) for e, g in
                                              ((1, 1), (1, 2), (2, 3), (2, 4))) + "\n", [(1, 9), (2, 8), (3, 7), (4, 6)], {}),
    ("iterations of epochs in brackets", "Epoch [1/2] Iter [1/2] Loss: 9.0\nEpoch [1/2] Iter [2/2] Loss: 8.0\n"
                                         "Epoch [2/2] Iter [1/2] Loss: 7.0\n", [(1, 9), (2, 8), (3, 7)], {}),
    ("actor and critic", "Step 1 | Actor Loss: 9.0 | Critic Loss: 5.0\nStep 2 | Actor Loss: 8.0 | Critic Loss: 4.0\n", [(1, 9), (2, 8)],
     {"loss.Critic_Loss": [(1, 5), (2, 4)]}),
    ("detr, resumed", "Epoch: [5]  [ 10/40]  eta: 0:01  lr: 0.1  loss: 6.5 (6.3)\nEpoch: [6]  [ 10/40]  eta: 0:01  lr: 0.1  loss: 5.5 (6.3)\n",
     [(210, 6.5), (250, 5.5)], {}),
    ("evaluation", "iter 0: loss 9.0, time 2ms\nstep 0: train loss 8.0, val loss 8.5\niter 1: loss 7.0, time 2ms\nstep 1: train loss 6.0, val loss 6.5\n",
     [(0, 9), (1, 7)], {"eval_loss": [(0, 8.5), (1, 6.5)], "eval_train_loss": [(0, 8), (1, 6)]}),
    ("evaluation alone", "step 5: train loss 8.0, val loss 8.5\nstep 10: train loss 6.0, val loss 6.5\n", [(5, 8), (10, 6)],
     {"eval_loss": [(5, 8.5), (10, 6.5)]}),
    ("valid lines", "global step 10, loss: 7.0, learning rate: 2e-06\nvalid step 10, batch: 10, loss: 9.0\nglobal step 20, loss: 6.0, learning rate: 3e-06\n",
     [(10, 7), (20, 6)], {"eval_loss": [(10, 9)], "lr": [(10, 2e-6), (20, 3e-6)]}),
    ("llm.c", "s:1 trl:9.1 lr:0.001 norm:0.5\ns:1 tel:8.9\ns:2 trl:8.1 lr:0.001 norm:0.4\n", [(1, 9.1), (2, 8.1)],
     {"eval_loss": [(1, 8.9)], "grad_norm": [(1, 0.5), (2, 0.4)]}),
    ("mlperf", ':::MLLOG {"key": "lr", "value": 1}\n:::MLLOG {"key": "train_loss", "value": 3.5, "metadata": {"samples_count": 64}}\n'
               ':::MLLOG {"key": "train_loss", "value": 3.0, "metadata": {"samples_count": 128}}\n', [(64, 3.5), (128, 3)], {}),
    ("verl", "step:0 - critic/grad_norm:9.0 - critic/vf_loss:2.0 - actor/pg_loss:-0.03 - actor/grad_norm:1.5 - actor/lr(1e-4):0.5\n"
             "step:1 - critic/grad_norm:9.0 - critic/vf_loss:2.0 - actor/pg_loss:-0.02 - actor/grad_norm:1.0 - actor/lr(1e-4):0.5\n",
     [(0, -0.03), (1, -0.02)], {"grad_norm": [(0, 1.5), (1, 1)], "lr": [(0, 5e-5), (1, 5e-5)]}),
    ("typed numbers", "step:1 - actor/pg_loss:np.float64(-0.03) - actor/grad_norm:tensor(1.5, device='cuda:0') - actor/lr:1e-06\n"
                      "step:2 - actor/pg_loss:np.float64(-0.02) - actor/grad_norm:tensor(1.0, device='cuda:0') - actor/lr:1e-06\n",
     [(1, -0.03), (2, -0.02)], {"grad_norm": [(1, 1.5), (2, 1)]}),
    ("LossMonitor", "epoch: 1 step: 1, loss is 9.5\nepoch: 1 step: 2, loss is 9.25\nTrain epoch time: 12.5 ms, per step time: 6.2 ms\n"
                    "epoch: 2 step: 1, loss is 9.0\n", [(1, 9.5), (2, 9.25), (3, 9)], {}),
    ("litgpt", "Epoch 1 | iter 4 step 1 | loss train: 9.5, val: n/a | iter time: 12.5 ms (step) remaining time: 0:10:01\n"
               "Epoch 1 | iter 8 step 2 | loss train: 8.5, val: n/a | iter time: 12.5 ms (step) remaining time: 0:10:00\n", [(1, 9.5), (2, 8.5)], {}),
    ("timm", "Train: 0 [   0/40 (  0%)]  Loss: 6.5 (6.3)  Time: 0.3s, 800.0/s  LR: 1e-05\n"
             "Train: 1 [   0/40 (  0%)]  Loss: 5.5 (6.1)  Time: 0.3s, 800.0/s  LR: 2e-05\n", [(0, 6.5), (40, 5.5)], {"lr": [(0, 1e-5), (40, 2e-5)]}),
    ("quoted", "epoch: 0, iter: 3, lr: 0.1, 'loss': 7.0, 'acc': 0.5\nepoch: 0, iter: 6, lr: 0.1, 'loss': nan, 'acc': 0.5\n",
     [(3, 7), (6, float("nan"))], {"acc": [(3, 0.5), (6, 0.5)]}),
    ("settings", "{'lr': 3e-05, 'betas': [0.9, 0.95]}\n{'loss': 8.1, 'learning_rate': 1e-05}\n{'lr': 3e-05, 'eps': 1e-8}\n{'loss': 7.1, 'learning_rate': 1e-05}\n",
     [(1, 8.1), (2, 7.1)], {}),
    ("no counter", "loss: 9.93\nloss: 8.93\n", [(1, 9.93), (2, 8.93)], {}),
    ("reference values", '{"lm loss": {"start_step": 1, "values": {"1": 10.5, "5": 9.5}}, "time": {"values": {"1": "nan", "5": 2.0}}}',
     [(1, 10.5), (5, 9.5)], {}),
    ("lightning", "epoch,lr-AdamW,step,train_loss_epoch,train_loss_step,val_loss\n0,,1,,9.5,\n0,,2,,9.0,\n0,,2,9.25,,8.0\n",
     [(1, 9.5), (2, 9)], {"eval_loss": [(2, 8)]}),
    ("detectron", '{"iteration": 19, "loss_cls": 1.0, "total_loss": 8.5}\n{"bbox/AP": 0.5, "iteration": 19}\n{"iteration": 39, "loss_cls": 1.0, "total_loss": 8.0}\n',
     [(19, 8.5), (39, 8)], {"bbox/AP": [(19, 0.5)]}),
    ("containers", '{"log": "step: 1 loss: 2.5 grad_norm: 1.5\\n", "stream": "stdout", "time": "2026-01-01T00:00:00.1Z"}\n'
                   '{"log": "step: 2 loss: 2.25 grad_norm: 1.25\\n", "stream": "stderr", "time": "2026-01-01T00:00:01.1Z"}\n',
     [(1, 2.5), (2, 2.25)], {"grad_norm": [(1, 1.5), (2, 1.25)]}),
    ("dicts in containers", '{"log":"{\'loss\': 2.5, \'learning_rate\': 1e-05}\\n","stream":"stdout"}\n'
                            '{"log":"{\'loss\': 2.0, \'learning_rate\': 1e-05}\\n","stream":"stdout"}\n', [(1, 2.5), (2, 2)], {}),
    ("loggers", '{"level": "INFO", "message": "step: 5 loss: 2.5"}\n{"level": "INFO", "message": "saved"}\n'
                '{"level": "INFO", "message": "step: 10 loss: 2.0"}\n', [(5, 2.5), (10, 2)], {}),
    ("Markdown", "# A card\n\n| Name | Value |\n|---|---|\n| lr | 1e-5 |\n\n| Training Loss | Epoch | Step | Validation Loss |\n"
                 "|:---:|:---:|:---:|:---:|\n| 2.5 | 1.0 | **500** | 2.75 |\n| 2.0 | 2.0 | 1000 | 2.25 |\n\nText, a | b\n",
     [(500, 2.5), (1000, 2)], {"eval_loss": [(500, 2.75), (1000, 2.25)]}),
    ("YOLO", "      Epoch    GPU_mem   box_loss  Instances       Size\n"
             "      1/100      2.61G      3.500         16        640:   0%|   | 0/8 [00:00<?, ?it/s]\r"
             "      1/100      2.61G      3.000         16        640: 100%|###| 8/8 [00:02<00:00,  3.0it/s]\n"
             "                 Class     Images  Instances      Box(P: 100%|##| 4/4 [00:01<00:00,  2.5it/s]\n"
             "                   all        128        929      0.640\n"
             "      2/100      2.61G      2.000         16        640: 100%|###| 8/8 [00:02<00:00,  3.0it/s]\n", [(1, 3), (2, 2)], {}),
    ("Composer", "[batch=1/100]:\n\t Train time/batch: 0\n\t Train loss/train/total: 9.5\n\t Train l2_norm/grad/global: 1.5\n"
                 "\t Train lr-DecoupledAdamW/group0: 0.1\n[batch=3/100]:\n\t Train loss/train/total: 9.0\n"
                 "\t Train l2_norm/grad/global: 1.0\n\t Train lr-DecoupledAdamW/group0: 0.2\n", [(1, 9.5), (3, 9)],
     {"grad_norm": [(1, 1.5), (3, 1)], "lr": [(1, 0.1), (3, 0.2)]}),
    ("Estimator", "INFO:tensorflow:loss = 8.5, step = 0\nINFO:tensorflow:loss = 8.0, step = 100 (12.3 sec)\n"
                  "INFO:tensorflow:Saving dict for global step 100: accuracy = 0.9, global_step = 100, loss = 38.5\n",
     [(0, 8.5), (100, 8)], {"eval_loss": [(100, 38.5)]}),
    ("clu", "I0312 10:01:12.000100 140 logging_writer.py:48] [100] global_norm/grads=1.500000, global_norm/params=210.1, "
            "global_norm/updates=0.001, loss=2.500000\n"
            "I0312 10:02:12.000100 140 logging_writer.py:48] [200] global_norm/grads=1.250000, global_norm/params=210.2, "
            "global_norm/updates=0.002, loss=2.250000\n", [(100, 2.5), (200, 2.25)], {"grad_norm": [(100, 1.5), (200, 1.25)]}),
    ("clu's norms as JSON", '{"step": 100, "loss": 2.5, "global_norm/params": 9.0, "global_norm/grads": 1.5}\n'
                            '{"step": 200, "loss": 2.25, "global_norm/params": 9.1, "global_norm/grads": 1.25}\n',
     [(100, 2.5), (200, 2.25)], {"grad_norm": [(100, 1.5), (200, 1.25)]}),
    ("bracketed steps", "w.py:48] [100] train/loss=2.5, train/learning_rate=0.1\nw.py:48] [200] train/loss=2.0, train/learning_rate=0.2\n",
     [(100, 2.5), (200, 2)], {"lr": [(100, 0.1), (200, 0.2)]}),
    ("bracketed ranks", "[0] loss=2.5\n[0] loss=2.0\n[0] loss=1.5\n", [(1, 2.5), (2, 2), (3, 1.5)], {}),
    ("prefixes of ranks", "7: loss=2.5 lr=0.5\n7: loss=2.0 lr=0.5\n7: loss=1.5 lr=0.5\n", [(1, 2.5), (2, 2), (3, 1.5)], {"lr": [(1, 0.5), (2, 0.5), (3, 0.5)]}),
    ("prefixes of ranks in turn", "0/2 loss=2.5\n1/2 loss=2.25\n0/2 loss=2.0\n1/2 loss=1.5\n", [(1, 2.5), (2, 2.25), (3, 2), (4, 1.5)], {}),
    ("steps before a dict", "m.py:12 - step 0: {'train/loss': 2.5, 'train/grad_norm': 1.5}\nm.py:12 - step 1: {'train/loss': 2.0, 'train/grad_norm': 1.0}\n",
     [(0, 2.5), (1, 2)], {"grad_norm": [(0, 1.5), (1, 1)]}),
    ("WeNet", "DEBUG TRAIN Batch 0/100 loss 9.5 lr 0.1 rank 0\nDEBUG CV Batch 0/100 loss 99.5 rank 0\nDEBUG TRAIN Batch 0/200 loss 9.0 lr 0.2 rank 0\n",
     [(100, 9.5), (200, 9)], {"lr": [(100, 0.1), (200, 0.2)]}),
    ("kaldi", "LOG (nnet3-train[5.5]:nnet-training.cc:348) Average objective function for 'output' for minibatches 0-99 is -4.5 over 128 frames.\n"
              "LOG (nnet3-train[5.5]:nnet-training.cc:348) Average objective function for 'output' for minibatches 100-199 is -4 over 128 frames.\n",
     [(99, -4.5), (199, -4)], {}),
    ("lightgbm", "[LightGBM] [Info] Total Bins 6132\n[1]\ttraining's binary_logloss: 0.5\tvalid_1's binary_logloss: 0.6\tvalid_1's auc: 0.7\n"
                 "[2]\ttraining's binary_logloss: 0.4\tvalid_1's binary_logloss: 0.5\tvalid_1's auc: 0.8\n",
     [(1, 0.5), (2, 0.4)], {"eval_loss": [(1, 0.6), (2, 0.5)], "valid_1's_auc": [(1, 0.7), (2, 0.8)]}),
    ("lightgbm by an error", "[1]\ttraining's rmse: 0.5\n[2]\ttraining's rmse: 0.4\n", [(1, 0.5), (2, 0.4)], {}),
    ("a table whose steps begin anew with each epoch, and a restart", "epoch,step,loss\n" + "".join(
        "%d,%d,%g\n" % row for row in ((0, 0, 9), (0, 1, 8), (0, 2, 7), (1, 0, 6), (1, 1, 5), (1, 2, 4), (2, 0, 3), (1, 2, 3.5), (2, 0, 3), (2, 1, 2.5))),
     [(0, 9), (1, 8), (2, 7), (3, 6), (4, 5), (5, 3.5), (6, 3), (7, 2.5)], {}, True),
    ("a tensor of MindSpore", "epoch: 1, step: 1, loss: Tensor(shape=[], dtype=Float32, value= 2.5), lr: 0.5\n"
                              "epoch: 1, step: 2, loss: Tensor(shape=[], dtype=Float32, value= 2.25), lr: 0.5\n",
     [(1, 2.5), (2, 2.25)], {"lr": [(1, 0.5), (2, 0.5)]}),
    ("a norm alone is that of the gradient", "step    1/60 | loss 2.5 (+1.23z)| norm 1.5 (-0.50z)| lr 5.0e-01 | 123.45 ms\nstep    2/60 | loss 2.25 (+1.23z)| norm 1.25 (-0.50z)| lr 5.0e-01 | 123.45 ms\n",
     [(1, 2.5), (2, 2.25)], {"grad_norm": [(1, 1.5), (2, 1.25)]}),
    ("the norm and the rate of a part", "step 1 policy/final_loss: 2.5 policy/grad_norm: 1.5 policy/lr: 0.5\nstep 2 policy/final_loss: 2.25 policy/grad_norm: 1.25 policy/lr: 0.5\n",
     [(1, 2.5), (2, 2.25)], {"grad_norm": [(1, 1.5), (2, 1.25)], "lr": [(1, 0.5), (2, 0.5)]}),
    ("xgboost, an evaluation alone", "[0]\teval-rmse:1.6\n[1]\teval-rmse:1.5\n", [], {"eval_loss": [(0, 1.6), (1, 1.5)]}),
    ("lightgbm, cross validation", "[1]\tcv_agg's l2: 1.6 + 0.01\n[2]\tcv_agg's l2: 1.5 + 0.01\n", [], {"eval_loss": [(1, 1.6), (2, 1.5)]}),
    ("catboost without times", "0:\tlearn: 1.6\ttest: 1.7\tbest: 1.7 (0)\n1:\tlearn: 1.5\ttest: 1.65\tbest: 1.65 (1)\n",
     [(0, 1.6), (1, 1.5)], {"eval_loss": [(0, 1.7), (1, 1.65)]}),
    ("dicts above their bars", "".join(
        "{'loss': %g, 'grad_norm': 1.5, 'epoch': 0.1}\n\r 10%%|# | %d/40 [00:01<00:05, 1it/s]\r 12%%|# | %d/40 [00:01<00:05, 1it/s]\n" % (v, x, x + 1)
        for x, v in ((10, 2.5), (20, 2.25))) + "{'loss': 2, 'grad_norm': 1.5, 'epoch': 0.3}\n",
     [(10, 2.5), (20, 2.25), (30, 2)], {"grad_norm": [(10, 1.5), (20, 1.5), (30, 1.5)]}),
    ("nnU-Net 2", "".join("2026-01-05 10:00:00.123456: Epoch %d\n2026-01-05 10:01:00.123456: train_loss %g\n"
                          "2026-01-05 10:01:00.123456: val_loss %g\n" % (x, v, v + 1) for x, v in ((0, 2.5), (1, 2.25))),
     [(0, 2.5), (1, 2.25)], {"eval_loss": [(0, 3.5), (1, 3.25)]}),
    ("ticks", "".join("tick %d     kimg %d.0      loss %g   time 1m 02s   sec/tick 45.1    gpumem 10.1\n" % (x, 12 * x, v) for x, v in ((1, 2.5), (2, 2.25))),
     [(1, 2.5), (2, 2.25)], {"kimg": [(1, 12), (2, 24)]}),
    ("means of ticks", "".join('{"Loss/loss": {"num": 64, "mean": %g, "std": 0.1}, "Progress/tick": {"num": 1, "mean": %d, "std": 0}, '
                               '"Timing/sec": {"num": 1, "mean": 3.5, "std": 0}, "timestamp": 17e8}\n' % (v, x) for x, v in ((1, 2.5), (2, 2.25))),
     [(1, 2.5), (2, 2.25)], {}),
    ("objects beside a loss", "".join('{"step": %d, "loss": %g, "optimizer": {"lr": 0.5, "grad_norm": 1.5}, "config": {"lr": 9, "loss": 9}}\n' % (x, v)
                                      for x, v in ((1, 2.5), (2, 2.25))),
     [(1, 2.5), (2, 2.25)], {"lr": [(1, 0.5), (2, 0.5)], "grad_norm": [(1, 1.5), (2, 1.5)]}),
    ("all in objects", "".join('{"global_step": %d, "speed": {"wps": 10.5}, "optim": {"grad_norm": 1.5, "lr": 0.5}, "loss": {"out": %g}, '
                               '"eval_stats": {"loss": 9}}\n' % (x, v) for x, v in ((1, 2.5), (2, 2.25))),
     [(1, 2.5), (2, 2.25)], {"lr": [(1, 0.5), (2, 0.5)], "grad_norm": [(1, 1.5), (2, 1.5)]}),
    ("values by name in a list", "".join('{"step": %d, "metrics": [{"name": "loss", "value": %g, "unit": "nat"}, 3, {"name": "grad_norm", "value": 1.5}]}\n' % (x, v)
                                         for x, v in ((1, 2.5), (2, 2.25))), [(1, 2.5), (2, 2.25)], {"grad_norm": [(1, 1.5), (2, 1.5)]}),
    ("xgboost by an error", "[0]\ttrain-rmse:1.5\tvalidation_0-rmse:1.6\n[1]\ttrain-rmse:1.4\tvalidation_0-rmse:1.5\n",
     [(0, 1.5), (1, 1.4)], {"validation_0-rmse": [(0, 1.6), (1, 1.5)]}),
    ("xgboost by a loss", "[0]\ttrain-logloss:1.5\teval-logloss:1.6\n[1]\ttrain-logloss:1.4\teval-logloss:1.5\n",
     [(0, 1.5), (1, 1.4)], {"eval_loss": [(0, 1.6), (1, 1.5)]}),
    ("catboost", "0:\tlearn: 0.5\ttest: 0.6\tbest: 0.6 (0)\ttotal: 1.2s\tremaining: 3m 2s\n1:\tlearn: 0.4\ttest: 0.5\tbest: 0.5 (1)\ttotal: 2.4s\tremaining: 3m\n",
     [(0, 0.5), (1, 0.4)], {"eval_loss": [(0, 0.6), (1, 0.5)]}),
    ("darknet", " 1: 800.5, 790.25 avg loss, 0.001 rate, 3.4 seconds, 64 images, 10.5 hours left\nLoaded: 0.00005 seconds\n"
                " 2: 700.5, 780.25 avg loss, 0.002 rate, 3.4 seconds, 128 images, 10.5 hours left\n",
     [(1, 800.5), (2, 700.5)], {"lr": [(1, 0.001), (2, 0.002)]}),
    ("spacy", "=== Training pipeline ===\nE    #       LOSS NER  ENTS_F  SCORE \n---  ------  --------  ------  ------\n"
              "  0       0     45.25    0.50    0.00\n  1     200   1345.50   45.00    0.45\n",
     [(0, 45.25), (200, 1345.5)], {"ENTS_F": [(0, 0.5), (200, 45)], "SCORE": [(0, 0), (200, 0.45)], "epoch": [(0, 0), (200, 1)]}),
    ("tabulate", "  step    train loss\n------  ------------\n    10          2.5\n    20          2.25\n", [(10, 2.5), (20, 2.25)], {}),
    ("openrlhf", "Train epoch [1/1]:  10%|# | 1/4 [00:05<00:45,  5.00s/it, pg=0.5, ret=0.4, act_lr=5e-7, cri=0.02]\r"
                 "Train epoch [1/1]:  50%|# | 2/4 [00:05<00:45,  5.00s/it, pg=0.25, ret=0.5, act_lr=4e-7, cri=0.01]\n",
     [(1, 0.5), (2, 0.25)], {"lr": [(1, 5e-7), (2, 4e-7)], "loss.critic_loss": [(1, 0.02), (2, 0.01)], "ret": [(1, 0.4), (2, 0.5)]}),
    ("loguru", '{"record": {"elapsed": {"seconds": 1.0}, "line": 10, "message": "step 1 loss 2.5"}}\n'
               '{"record": {"elapsed": {"seconds": 2.0}, "line": 10, "message": "step 2 loss 2.25"}}\n', [(1, 2.5), (2, 2.25)], {}),
    ("structlog", '{"event": "step 1 loss 2.5", "level": "info"}\n{"event": "step 2 loss 2.25", "level": "info"}\n', [(1, 2.5), (2, 2.25)], {}),
    ("an object over lines", "start\n{'learning_rate': 0.1,\n 'epochs': 3}\n{'gradient_norm': 1.5,\n 'loss': 2.5,\n 'step': 1}\n\n"
                             "{'gradient_norm': 1.25,\n 'loss': 2.25,\n 'step': 2}\n", [(1, 2.5), (2, 2.25)], {"grad_norm": [(1, 1.5), (2, 1.25)]}),
    ("rich", "Epoch 0/9 ━━━╸━━ 1/2 0:00:01 • 0:00:10 10.05it/s v_num: 0.000 train_loss: 2.5\nEpoch 0/9 ━━━╸━━ 2/2 0:00:01 • 0:00:10 10.05it/s "
             "v_num: 0.000 train_loss: 2.25\nEpoch 1/9 ━━━╸━━ 1/2 0:00:01 • 0:00:10 10.05it/s v_num: 0.000 train_loss: 2.0\n",
     [(1, 2.5), (2, 2.25), (3, 2)], {}),
    ("keras", "Epoch 1/2\n 1/2 [====>....] - ETA: 1:00 - loss: 9.5 - accuracy: 0.1\b\b\b\r2/2 [=====] - 10s 100ms/step - loss: 2.5 - accuracy: 0.5"
              " - val_loss: 2.75\nEpoch 2/2\n2/2 ━━━━━ 10s 100ms/step - accuracy: 0.75 - loss: 2.25 - val_loss: 2.5\n",
     [(1, 2.5), (2, 2.25)], {"accuracy": [(1, 0.5), (2, 0.75)], "eval_loss": [(1, 2.75), (2, 2.5)]}),
    ("keras, evaluated at the end", "Epoch 1/2\n40/40 [====] - 10s - loss: 2.5\nEpoch 2/2\n40/40 [====] - 10s - loss: 2.25\n 1/10 [=>...] - ETA: 0s - loss: 3.5"
                                    "\b\b\r10/10 [====] - 0s 5ms/step - loss: 3.125\n", [(1, 2.5), (2, 2.25)], {}),
    ("fairseq2", "Train Metrics (step 10) - Loss: 2.5 | Gradient Norm: 1.5 | Learning Rate: 1e-5\nTrain Metrics (step 20) - Loss: 2.25 | Gradient Norm: 1.25\n",
     [(10, 2.5), (20, 2.25)], {"grad_norm": [(10, 1.5), (20, 1.25)]}),
    ("word language model", "| epoch   1 |   200/ 400 batches | lr 20.00 | ms/batch 12.3 | loss  9.5 | ppl 20.1\n"
                            "| epoch   2 |   200/ 400 batches | lr 20.00 | ms/batch 12.3 | loss  8.5 | ppl 20.1\n", [(200, 9.5), (600, 8.5)], {}),
    ("metrics of evaluations", "Epoch 1 | Step 10 | loss: 2.5\nEpoch 1: val_acc: 0.5, val_f1: 0.25\nEpoch 2 | Step 20 | loss: 2.25\n"
                               "step 20 eval/perplexity: 9.5\n * Acc@1 75.5 Acc@5 92.5\n", [(10, 2.5), (20, 2.25)],
     {"val_acc": [(10, 0.5)], "val_f1": [(10, 0.25)], "eval/perplexity": [(20, 9.5)], "eval_Acc@1": [(20, 75.5)], "eval_Acc@5": [(20, 92.5)]}),
    ("settings of evaluations", "eval_batch_size: 8, epochs: 3\nstep 1 loss: 2.5\nstep 2 loss: 2.25\n", [(1, 2.5), (2, 2.25)], {}),
    ("validate lines", "step: 10  loss: 2.5\nvalidate step: 10  loss: 2.75\nstep: 20  loss: 2.25\n", [(10, 2.5), (20, 2.25)], {"eval_loss": [(10, 2.75)]}),
    ("mnist", "Train Epoch: 1 [0/60 (0%)]\tLoss: 2.5\n\nTest set: Average loss: 2.75, Accuracy: 50/60 (83%)\n\nTrain Epoch: 2 [0/60 (0%)]\tLoss: 2.25\n",
     [(0, 2.5), (60, 2.25)], {"eval_loss": [(0, 2.75)], "eval_accuracy": [(0, 83)]}),
    ("thousands of a unit", "step: 1 | tokens: 999.5K | mem: 8.5GiB | lm_loss: 2.5\nstep: 2 | tokens: 1.25M | mem: 8.5GiB | lm_loss: 2.25\n",
     [(1, 2.5), (2, 2.25)], {"tokens": [(1, 999500), (2, 1250000)], "mem": [(1, 8.5), (2, 8.5)]}),
    ("a norm in an object", "step=1,loss=2.5,grad_norm={'0_default': 1.5},x=1\nstep=2,loss=2.25,grad_norm={'0_default': 1.25},x=1\n",
     [(1, 2.5), (2, 2.25)], {"grad_norm": [(1, 1.5), (2, 1.25)]}),
    ("step of a dashboard", 'metrics_tag: {"system/step": 1, "actor/total_loss": 2.5}\nmetrics_tag: {"system/step": 2, "actor/total_loss": 2.25}\n',
     [(1, 2.5), (2, 2.25)], {}),
    ("icefall", "INFO (0/8) Epoch 1, batch 50, loss[loss=0.5, over 9.00 frames. ], lr: 3.00e-03\n"
                "INFO (0/8) Epoch 1, batch 100, loss[loss=0.25, over 9.00 frames. ], lr: 2.00e-03\n", [(50, 0.5), (100, 0.25)], {}),
    ("Marian", "[t] Ep. 1 : Up. 100 : Sen. 6,400 : Cost 9.50000000 * 12,345 @ 123 : Time 12.34s : gNorm 1.5 : L.r. 3.0000e-04\n"
               "[t] Ep. 1 : Up. 200 : Sen. 12,800 : Cost 9.00000000 * 12,345 @ 123 : Time 12.34s : gNorm 1.0 : L.r. 2.0000e-04\n",
     [(100, 9.5), (200, 9)], {"grad_norm": [(100, 1.5), (200, 1)], "lr": [(100, 3e-4), (200, 2e-4)]}),
    ("Sockeye", "[0] Epoch[0] Batch [50]\tSpeed: 9.5 samples/sec\tcross-entropy=9.5\tlearning-rate=0.1\n"
                "[0] Epoch[0] Batch [100]\tSpeed: 9.5 samples/sec\tcross-entropy=9.0\tlearning-rate=0.2\n", [(50, 9.5), (100, 9)], {}),
    ("several sets of validation", "[1]\ttraining's l2: 0.5\tvalid_0's l2: 0.6\tvalid_1's l2: 0.7\n[2]\ttraining's l2: 0.4\tvalid_0's l2: 0.5\tvalid_1's l2: 0.6\n",
     [(1, 0.5), (2, 0.4)], {"eval_loss": [(1, 0.6), (2, 0.5)], "valid_1's l2": [(1, 0.7), (2, 0.6)]}),
    ("mmcv as JSON", '{"seed": 0}\n{"mode": "train", "epoch": 1, "iter": 50, "lr": 0.1, "loss": 2.5}\n{"mode": "train", "epoch": 1, "iter": 100, "lr": 0.1, "loss": 2.25}\n'
                     '{"mode": "val", "epoch": 1, "iter": 5000, "lr": 0.1, "bbox_mAP": 0.5}\n{"mode": "train", "epoch": 2, "iter": 50, "lr": 0.1, "loss": 2.0}\n'
                     '{"mode": "val", "epoch": 2, "iter": 5000, "lr": 0.1, "bbox_mAP": 0.75}\n',
     [(50, 2.5), (100, 2.25), (150, 2)], {"bbox_mAP": [(100, 0.5), (150, 0.75)]}),
    ("splits as JSON", '{"split": "train", "step": 10, "loss": 2.5}\n{"split": "val", "step": 10, "loss": 2.75}\n{"split": "train", "step": 20, "loss": 2.25}\n',
     [(10, 2.5), (20, 2.25)], {"eval_loss": [(10, 2.75)]}),
    ("nested splits", '{"step": 10, "train": {"loss": 2.5}, "val": {"loss": 2.75}}\n{"step": 20, "train": {"loss": 2.25}, "val": {"loss": 2.5}}\n',
     [(10, 2.5), (20, 2.25)], {"eval_loss": [(10, 2.75), (20, 2.5)]}),
    ("epochs from 0 as JSON", '{"train_lr": 0.1, "train_loss": 2.5, "test_loss": 2.75, "epoch": 0}\n{"train_lr": 0.2, "train_loss": 2.25, "test_loss": 2.5, "epoch": 1}\n',
     [(0, 2.5), (1, 2.25)], {"eval_loss": [(0, 2.75), (1, 2.5)], "lr": [(0, 0.1), (1, 0.2)]}),
    ("steps that are lists", 'DLLL {"type": "LOG", "step": [0, 10], "data": {"loss": 2.5}}\nDLLL {"type": "LOG", "step": [0, 20], "data": {"loss": 2.25}}\n',
     [(10, 2.5), (20, 2.25)], {}),
    ("RLlib", '{"training_iteration": 1, "config": {"lr": 9}, "info": {"learner": {"default_policy": {"learner_stats": {"total_loss": 2.5, "cur_lr": 0.1}}}}}\n'
              '{"training_iteration": 2, "config": {"lr": 9}, "info": {"learner": {"default_policy": {"learner_stats": {"total_loss": 2.25, "cur_lr": 0.2}}}}}\n',
     [(1, 2.5), (2, 2.25)], {"lr": [(1, 0.1), (2, 0.2)]}),
    ("MaxText", "completed step: 0, seconds: 4.1, loss: 2.5\ncompleted step: 1, seconds: 4.1, loss: 2.25\neval metrics after step: 1, loss=2.75, total_weights=9.0\n",
     [(0, 2.5), (1, 2.25)], {"eval_loss": [(1, 2.75)]}),
    ("PaddleNLP", "[    INFO] - loss: 2.5, learning_rate: 3e-05, global_step: 5\n[    INFO] - eval_loss: 2.75, eval_ppl: 9.5, epoch: 0.5\n"
                  "[    INFO] - loss: 2.25, learning_rate: 2e-05, global_step: 10\n", [(5, 2.5), (10, 2.25)], {"eval_loss": [(5, 2.75)]}),
    ("Marian with validation", "[t] Ep. 1 : Up. 100 : Sen. 6,400 : Cost 9.5 : gNorm 1.5 : L.r. 3e-04\n[t] [valid] Ep. 1 : Up. 100 : ce-mean-words : 9.75 : new best\n"
                               "[t] Ep. 1 : Up. 200 : Sen. 6,400 : Cost 9.25 : gNorm 1.5 : L.r. 3e-04\n", [(100, 9.5), (200, 9.25)], {"eval_loss": [(100, 9.75)]}),
    ("Sockeye with checkpoints", "Epoch[0] Batch [50]\tcross-entropy=9.5\tperplexity=99.5\nCheckpoint [1]\tUpdates=50 Epoch=0 Samples=9\nCheckpoint [1]\tTrain-cross-entropy=9.25\n"
                                 "Checkpoint [1]\tValidation-cross-entropy=9.75\nEpoch[0] Batch [100]\tcross-entropy=9.0\tperplexity=89.5\n",
     [(50, 9.5), (100, 9)], {"eval_loss": [(50, 9.75)]}),
    ("icefall with validation", "Epoch 1, batch 0, loss[loss=0.5, over 9.00 frames. ], lr: 3.00e-03\nEpoch 1, batch 50, loss[loss=0.25, over 9.00 frames. ], lr: 3.00e-03\n"
                                "Epoch 1, validation: loss=0.75, over 9.00 frames. \nEpoch 2, batch 0, loss[loss=0.125, over 9.00 frames. ], lr: 3.00e-03\n",
     [(0, 0.5), (50, 0.25), (100, 0.125)], {"eval_loss": [(50, 0.75)]}),
    ("means of an epoch between steps", "epoch 1 step 10 loss: 5.0\nepoch 1 step 20 loss: 4.0\nepoch 1 train loss: 4.5, valid loss: 4.25\nepoch 2 step 30 loss: 3.0\nepoch 2 train loss: 3.5\n",
     [(10, 5), (20, 4), (30, 3)], {"eval_loss": [(20, 4.25)]}),
    ("wav2letter", "epoch:        1 | nupdates:         1000 | lr: 0.5 | loss:    2.5 | dev-clean-loss: 2.75\n"
                   "epoch:        1 | nupdates:         2000 | lr: 0.5 | loss:    2.25 | dev-clean-loss: 2.5\n", [(1000, 2.5), (2000, 2.25)], {}),
    ("DLRM", "Finished training it 100/600 of epoch 0, 9.5 ms/it, loss 2.5\nFinished training it 200/600 of epoch 0, 9.5 ms/it, loss 2.25\n", [(100, 2.5), (200, 2.25)], {}),
    ("MiniMind", "Epoch:[1/2](100/600) loss:2.5 lr:0.5 epoch_Time:12.0min:\nEpoch:[2/2](100/600) loss:2.25 lr:0.5 epoch_Time:12.0min:\n", [(100, 2.5), (700, 2.25)], {}),
    ("PyTorch tutorial", "Epoch 1\n-------\nloss: 2.5  [   64/60000]\nTest Error: \n Accuracy: 50.0%, Avg loss: 2.75 \n\nEpoch 2\n-------\nloss: 2.25  [   64/60000]\n",
     [(64, 2.5), (60064, 2.25)], {"eval_loss": [(64, 2.75)], "eval_accuracy": [(64, 50)]}),
    ("CIFAR tutorial", "[1,  2000] loss: 2.5\n[1,  4000] loss: 2.25\n[2,  2000] loss: 2.0\n", [(2000, 2.5), (4000, 2.25), (6000, 2)], {}),
    ("Flax", "Step... (500 | Loss: 2.5, Learning Rate: 0.5)\nStep... (1000 | Loss: 2.25, Learning Rate: 0.25)\n", [(500, 2.5), (1000, 2.25)], {"lr": [(500, 0.5), (1000, 0.25)]}),
    ("Coqui", "   --> TIME: 2026-01-01 10:00:01 -- STEP: 0/60 -- GLOBAL_STEP: 25\n     | > loss: 2.5  (2.75)\n     | > grad_norm: 1.5 (1.75)\n"
              "   --> TIME: 2026-01-01 10:00:02 -- STEP: 25/60 -- GLOBAL_STEP: 50\n     | > loss: 2.25  (2.75)\n", [(25, 2.5), (50, 2.25)], {}),
    ("NeMo RL", "===== Step 1/60 =====\nTraining Results:\n  • Loss: 2.5\n  • Avg Reward: 0.5\n===== Step 2/60 =====\nTraining Results:\n  • Loss: 2.25\n", [(1, 2.5), (2, 2.25)], {}),
    ("NeMo over epochs", "Training epoch 0, iteration 1/2 | lr: 2e-05 | global_step: 1 | reduced_train_loss: 2.5 | consumed_samples: 9\n"
                         "Training epoch 1, iteration 0/2 | lr: 2e-05 | global_step: 2 | reduced_train_loss: 2.25 | consumed_samples: 18\n",
     [(1, 2.5), (2, 2.25)], {"consumed_samples": [(1, 9), (2, 18)]}),
    ("global steps in bars", "Epoch 0: :   1%|▏  | 1/60 [00:01<10:00:00, loss=2.5, global_step=0.0]\rEpoch 0: :   2%|▏  | 2/60 [00:01<10:00:00, loss=2.25, global_step=1.0]\n",
     [(0, 2.5), (1, 2.25)], {}),
    ("AReaL", "Epoch 1/5 Step 1/60 Train step 1/300 done.\nStats (1/1):\n╭────┬────╮\n│ actor/loss/avg │ 2.5000e+00 │ actor/grad_norm │ 1.5000e+00 │\n│ actor/lr │ 5.0e-01 │ │ │\n╰────┴────╯\n"
              "Epoch 1/5 Step 2/60 Train step 2/300 done.\nStats (1/1):\n╭────┬────╮\n│ actor/loss/avg │ 2.2500e+00 │ actor/grad_norm │ 1.2500e+00 │\n│ actor/lr │ 2.5e-01 │ │ │\n╰────┴────╯\n",
     [(1, 2.5), (2, 2.25)], {"grad_norm": [(1, 1.5), (2, 1.25)], "lr": [(1, 0.5), (2, 0.25)]}),
    ("stable-baselines3", "".join("-------\n| time/ |  |\n|    iterations | %d |\n|    total_timesteps | %d |\n| train/ |  |\n|    learning_rate | 0.5 |\n|    loss | %s |\n-------\n" % row
                                  for row in ((1, 2048, 2.5), (2, 4096, 2.25))), [(2048, 2.5), (4096, 2.25)], {"lr": [(2048, 0.5), (4096, 0.5)]}),
    ("a framed table", "start\n+------+------+\n| step | loss |\n+------+------+\n|  10  | 2.5  |\n|  20  | nan |\n+------+------+\n", [(10, 2.5), (20, float("nan"))], {}),
    ("a table below a bar", "[60/60 10:00, Epoch 3/3]\nStep\tTraining Loss\tValidation Loss\n10\t2.5\t2.75\n20\t2.25\t2.5\n[9/9 00:10]\n", [(10, 2.5), (20, 2.25)],
     {"eval_loss": [(10, 2.75), (20, 2.5)]}),
    ("fastText", "Read 1M words\n\rProgress:  50.0% words/sec/thread: 9 lr: 0.5 avg.loss: 2.5 ETA: 0h 1m 1s\rProgress: 100.0% words/sec/thread: 9 lr: 0.25 avg.loss: 2.25 ETA: 0h 0m 0s\n",
     [(1, 2.5), (2, 2.25)], {"lr": [(1, 0.5), (2, 0.25)]}),
    ("TensorFlow detection", "INFO:tensorflow:Step 100 per-step time 0.3s\nINFO:tensorflow:{'Loss/box_loss': 0.5,\n 'Loss/total_loss': 2.5,\n 'learning_rate': 0.5}\n"
                             "INFO:tensorflow:Step 200 per-step time 0.3s\nINFO:tensorflow:{'Loss/box_loss': 0.5,\n 'Loss/total_loss': 2.25,\n 'learning_rate': 0.25}\n",
     [(100, 2.5), (200, 2.25)], {"lr": [(100, 0.5), (200, 0.25)]}),
    ("early MindFormers", "INFO - Epoch:[  1/  2], step:[   59/   60], loss:[2.500/2.750], time:1234.567 ms, lr:5e-06, overflow cond: False, loss_scale: 1.0\n"
                          "INFO - Epoch:[  2/  2], step:[    1/   60], loss:[2.250/2.750], time:1234.567 ms, lr:[4e-06], overflow cond: False, loss_scale: 1.0\n",
     [(59, 2.5), (61, 2.25)], {"lr": [(59, 5e-6), (61, 4e-6)]}),
    ("types as JSON", '{"type": "config", "lr": 9}\n{"type": "train", "step": 10, "loss": 2.5}\n{"type": "eval", "step": 10, "loss": 2.75}\n{"type": "train", "step": 20, "loss": 2.25}\n',
     [(10, 2.5), (20, 2.25)], {"eval_loss": [(10, 2.75)]}),
    ("splits of a table", "step,split,loss\n10,train,2.5\n10,val,2.75\n20,train,2.25\n20,val,2.5\n", [(10, 2.5), (20, 2.25)], {"eval_loss": [(10, 2.75), (20, 2.5)]}),
    ("splits in other cases", '{"phase": "TRAIN", "step": 10, "loss": 2.5}\n{"Phase": "VAL", "step": 10, "loss": 2.75}\n{"phase": "TRAIN", "step": 20, "loss": 2.25}\n',
     [(10, 2.5), (20, 2.25)], {"eval_loss": [(10, 2.75)]}),
    ("splits of a table in other cases", "step,Phase,loss\n10,Train,2.5\n10,Val,2.75\n20,Train,2.25\n20,Val,2.5\n",
     [(10, 2.5), (20, 2.25)], {"eval_loss": [(10, 2.75), (20, 2.5)]}),
    ("a split and a type", '{"mode": "train", "step": 10, "loss": 2.5}\n{"mode": "val", "type": "bbox", "step": 10, "loss": 6.9}\n{"mode": "train", "step": 20, "loss": 2.25}\n',
     [(10, 2.5), (20, 2.25)], {"eval_loss": [(10, 6.9)]}),
    ("a split of a table and its set", "step,split,set,loss\n10,train,a,2.5\n10,val,a,2.75\n20,train,a,2.25\n",
     [(10, 2.5), (20, 2.25)], {"eval_loss": [(10, 2.75)]}),
    ("one of several splits", '{"split": "train", "step": 10, "loss": 2.5}\n{"split": "val_unseen", "step": 10, "loss": 6.9}\n{"split": "train", "step": 20, "loss": 2.25}\n',
     [(10, 2.5), (20, 2.25)], {"eval_loss": [(10, 6.9)]}),
    ("containers in front", '{"info": {"lr": 0.5, "step": 7, "epoch": 3, "loss": 101}, "step": 1, "loss": 2.5}\n{"step": 2, "loss": 2.25, "info": {"lr": 0.25, "loss": 102}}\n',
     [(1, 2.5), (2, 2.25)], {"lr": [(1, 0.5), (2, 0.25)]}),
    ("containers in containers", '{"info": {"learner": {"loss": 101}, "loss": 2.5}, "step": 1}\n{"info": {"learner": {"loss": 102}, "loss": 2.25}, "step": 2}\n',
     [(1, 2.5), (2, 2.25)], {}),
    ("a name with what it is of", "Iter 50 | Time 3.21s | Loss(train): 2.5 | Loss(val): 2.75\nIter 100 | Time 3.21s | Loss(train): 2.25 | Loss(val): 2.5\n",
     [(50, 2.5), (100, 2.25)], {"eval_loss": [(50, 2.75), (100, 2.5)]}),
    ("shortened words", "Epoch: 001/060 | Train Loss: 2.5 | Val. Loss: 2.75\nEpoch: 002/060 | Train Loss: 2.25 | Val. Loss: 2.5\n",
     [(1, 2.5), (2, 2.25)], {"eval_loss": [(1, 2.75), (2, 2.5)]}),
    ("shortened words below a heading", "Epoch: 01 | Epoch Time: 0m 12s\n\tTrain Loss: 2.5 | Train PPL: 9.5\n\t Val. Loss: 2.75 |  Val. PPL: 9.5\n"
                                        "Epoch: 02 | Epoch Time: 0m 12s\n\tTrain Loss: 2.25 | Train PPL: 9.5\n\t Val. Loss: 2.5 |  Val. PPL: 9.5\n",
     [(1, 2.5), (2, 2.25)], {"eval_loss": [(1, 2.75), (2, 2.5)]}),
    ("counts in front", "10/600 loss=2.5 lr=0.5\n20/600 loss=2.25 lr=0.5\n", [(10, 2.5), (20, 2.25)], {}),
    ("a count and a colon", "10: loss=2.5\n20: loss=2.25\n", [(10, 2.5), (20, 2.25)], {}),
    ("counts in brackets", "[10/600] loss: 2.5, lr: 0.5\n[20/600] loss: 2.25, lr: 0.5\n", [(10, 2.5), (20, 2.25)], {}),
    ("batches of an evaluation", "Train step 10, loss 2.5\nEval step 1/2, loss 9.5\nEval step 2/2, loss 2.75\nTrain step 20, loss 2.25\n",
     [(10, 2.5), (20, 2.25)], {"eval_loss": [(10, 2.75)]}),
    ("build-nanogpt", "0 val 10.9500\n0 hella 0.2463\n0 train 10.937500\n1 train 9.500000\n2 val 9.2500\n2 hella 0.2500\n2 train 9.000000\n",
     [(0, 10.9375), (1, 9.5), (2, 9)], {"eval_loss": [(0, 10.95), (2, 9.25)], "hella": [(0, 0.2463), (2, 0.25)]}),
    ("Chinese", "开始训练，共 200 步\n2026-01-01 10:00:00 步数: 100, 损失: 2.5, 学习率: 1e-05, 梯度范数: 1.5\n2026-01-01 10:00:01 步数: 200, 损失: 2.25, 学习率: 2e-05, 梯度范数: 1.25\n",
     [(100, 2.5), (200, 2.25)], {"lr": [(100, 1e-5), (200, 2e-5)], "grad_norm": [(100, 1.5), (200, 1.25)]}),
    ("Chinese with wide marks", "【训练】步数：100，损失为2.5，学习率：1e-05\n迭代 100：验证损失 = 2.75\n【训练】步数：200，损失为2.25，学习率：2e-05\n",
     [(100, 2.5), (200, 2.25)], {"eval_loss": [(100, 2.75)]}),
    ("Chinese counters inside of other words", "梯度同步: 12 step: 1 loss: 2.5 损失权重\n梯度同步: 14 step: 2 loss: 2.25\n训练步数: 3 损失: 2.0 初步 7\n", [(1, 2.5), (2, 2.25), (3, 2)], {}),
    ("Chinese counters with what they count", "梯度累计步数: 4\n累计步数: 1 损失: 2.5\n更新步数: 2 损失: 2.25\n优化步数: 3 损失: 2.0\n优化器步数: 4 损失: 1.5\n已完成步数: 5 损失: 1.0\n",
     [(1, 2.5), (2, 2.25), (3, 2), (4, 1.5), (5, 1)], {}),
    ("Model Garden", "train | step:    100 | steps/sec:    3.1 | output: \n    {'learning_rate': 0.5,\n     'train_loss': 2.5}\n"
                     "train | step:    200 | steps/sec:    3.1 | output: \n    {'learning_rate': 0.25,\n     'train_loss': 2.25}\n",
     [(100, 2.5), (200, 2.25)], {"lr": [(100, 0.5), (200, 0.25)]}),
    ("Model Garden on one line", "train | step:    1 | training until step 100...\ntrain | step:    100 | steps/sec:    3.1 | output: {'learning_rate': 0.5, 'train_loss': 2.5}\n"
                                 "train | step:    200 | steps/sec:    3.1 | output: {'learning_rate': 0.25, 'train_loss': 2.25}\n",
     [(100, 2.5), (200, 2.25)], {"lr": [(100, 0.5), (200, 0.25)]}),
    ("PaddleDetection", "ppdet.engine INFO: Epoch: [0] [   0/ 600] learning_rate: 0.5 loss_xy: 1.5 loss: 2.5 eta: 1:00:00\n"
                        "ppdet.engine INFO: Epoch: [1] [   0/ 600] learning_rate: 0.25 loss_xy: 1.5 loss: 2.25 eta: 1:00:00\n", [(0, 2.5), (600, 2.25)], {"lr": [(0, 0.5), (600, 0.25)]}),
    ("DINOv2", "Training  [     0/125000]  eta: 1 day, 1:00:00  lr: 0.5 (0.5)  total_loss: 2.5 (9.5)  time: 0.3\n"
               "Training  [    10/125000]  eta: 1 day, 1:00:00  lr: 0.25 (0.5)  total_loss: 2.25 (9.5)  time: 0.3\n", [(0, 2.5), (10, 2.25)], {"lr": [(0, 0.5), (10, 0.25)]}),
    ("DINO", "Epoch: [0/100]  [   0/40]  eta: 1:00:00  loss: 2.5 (9.5)  lr: 0.5 (0.5)\nEpoch: [1/100]  [   0/40]  eta: 1:00:00  loss: 2.25 (9.5)  lr: 0.25 (0.5)\n",
     [(0, 2.5), (40, 2.25)], {"lr": [(0, 0.5), (40, 0.25)]}),
    ("GLM", "iteration 50/6000 | elapsed time per iteration (ms): 9.5 | learning rate 5.0E-01 | total loss 2.5E+00 | loss 2.5E+00 | loss scale 65536.0 |speed 9.5 samples/(min*GPU)\n"
            "iteration 100/6000 | elapsed time per iteration (ms): 9.5 | learning rate 2.5E-01 | total loss 2.25E+00 | loss 2.25E+00 | loss scale 65536.0 |speed 9.5 samples/(min*GPU)\n",
     [(50, 2.5), (100, 2.25)], {"lr": [(50, 0.5), (100, 0.25)]}),
    ("Ignite", "Epoch [1/2]: [10/60]  17%|█ , loss=2.5 [00:10<01:00]\rEpoch [2/2]: [10/60]  17%|█ , loss=2.25 [00:10<01:00]\n", [(10, 2.5), (70, 2.25)], {}),
    ("counts behind a hash", "Step#10: loss=2.5 rank#3\nStep#20: loss=2.25 rank#3\n", [(10, 2.5), (20, 2.25)], {}),
    ("losses without names", "INFO: Losses: [2.5, 0.5], step: 10, lr: 0.5\nINFO: Losses: [2.25, 0.25], step: 20, lr: 0.5\n", [],
     {"loss.loss_1": [(10, 2.5), (20, 2.25)], "loss.loss_2": [(10, 0.5), (20, 0.25)]}),
    ("SupContrast", "Train: [1][10/40]\tBT 0.5 (0.5)\tDT 0.5 (0.5)\tloss 2.5 (9.5)\nTrain: [2][10/40]\tBT 0.5 (0.5)\tDT 0.5 (0.5)\tloss 2.25 (9.5)\n", [(10, 2.5), (50, 2.25)], {}),
    ("FunASR", "train, rank: 0, epoch: 0/50, total step: 10, (loss_avg_rank: 9.5), (lr: 0.5), [('loss_ctc', 0.5), ('loss', 2.5)], {'data_load': '0.5'}\n"
               "train, rank: 0, epoch: 0/50, total step: 20, (loss_avg_rank: 9.5), (lr: 0.5), [('loss_ctc', 0.5), ('loss', 2.25)], {'data_load': '0.5'}\n",
     [(10, 2.5), (20, 2.25)], {"loss.loss_ctc": [(10, 0.5), (20, 0.5)]}),
    ("DeePMD", "#  step      rmse_val    rmse_trn         lr\n     10      2.75e+00    2.50e+00    5.0e-01\n     20      2.75e+00    2.25e+00    5.0e-01\n", [(10, 2.5), (20, 2.25)], {}),
    ("messages of a cloud", '{"insertId": "a", "jsonPayload": {"message": "step: 10 loss: 2.5"}}\n{"insertId": "b", "textPayload": "step: 20 loss: 2.25"}\n', [(10, 2.5), (20, 2.25)], {}),
    ("attributes of a record", '{"severity": "INFO", "attributes": {"step": 10, "loss": 2.5}}\n{"severity": "INFO", "attributes": {"step": 20, "loss": 2.25}}\n', [(10, 2.5), (20, 2.25)], {}),
    ("Chinese counts", "第1步 损失=2.5\n第2步 损失=2.25\n", [(1, 2.5), (2, 2.25)], {}),
    ("Chinese counts of epochs", "第 1 轮，第 1/2 步，训练损失：2.5\n第 1 轮，第 2/2 步，训练损失：2.25\n第 2 轮，第 1/2 步，训练损失：2.0\n", [(1, 2.5), (2, 2.25), (3, 2)], {}),
    ("Chinese columns", "步数,训练损失,学习率,验证损失\n1,2.5,0.5,\n2,2.25,0.25,2.75\n", [(1, 2.5), (2, 2.25)], {"lr": [(1, 0.5), (2, 0.25)], "eval_loss": [(2, 2.75)]}),
    ("Chinese columns from the last step on", "迭代步,损失\n" + "".join("%d,%g\n" % (s, 2 + s / 8) for s in range(9, 0, -1)), [(s, 2 + s / 8) for s in range(1, 10)], {}),
    ("Chinese keys as JSON", '{"步数": 1, "损失": 2.5}\n{"步数": 2, "损失": 2.25}\n', [(1, 2.5), (2, 2.25)], {}),
    ("UTF-16 without a mark", "step: 1 loss: 2.5 lr: 0.5\r\nstep: 2 loss: 2.25 lr: 0.5\r\n".encode("utf-16-le").decode(), [(1, 2.5), (2, 2.25)], {}),
    ("colours in a table", "  epoch    train_loss    valid_loss     dur\n-------  ------------  ------------  ------\n      1        \x1b[36m2.5000\x1b[0m        \x1b[35m2.7500\x1b[0m  0.1234\n"
                           "      2        \x1b[36m2.2500\x1b[0m        2.5000  0.1234\n", [(1, 2.5), (2, 2.25)], {"eval_loss": [(1, 2.75), (2, 2.5)]}),
    ("times in a table", "      Iter       Train Loss   Remaining Time \n         1           2.5000            1.20s\n         2           2.2500            1.10s\n", [(1, 2.5), (2, 2.25)], {}),
    ("a table that pandas prints", "    step   loss\n0     10  2.500\n1     20  2.250\n", [(10, 2.5), (20, 2.25)], {}),
    ("names in a comment", "# by numpy\n# step,loss,lr\n10,2.5,0.5\n20,2.25,0.25\n", [(10, 2.5), (20, 2.25)], {"lr": [(10, 0.5), (20, 0.25)]}),
    ("no names in a comment", "# of today, by me\n10,2.5\n20,2.25\n", [(10, 2.5), (20, 2.25)], {}),
    ("parts below the memory", "     Epoch   gpu_mem       box       obj    labels  img_size\n     0/1     3.51G   2.5   0.5   10       640: 100%|###| 8/8 [00:02<00:00,  3.2it/s]\n"
                               "               Class     Images     Labels          P          R     mAP@.5: 100%|###| 4/4 [00:01<00:00,  3.2it/s]\n"
                               "     1/1     3.51G   2.25   0.5   10       640: 100%|###| 8/8 [00:02<00:00,  3.2it/s]\n", [], {"loss.box_loss": [(0, 2.5), (1, 2.25)], "loss.obj_loss": [(0, 0.5), (1, 0.5)]}),
    ("ClearML", '{"loss": {"train": {"name": "train", "x": [10, 20], "y": [2.5, 2.25]}, "val": {"x": [20], "y": [2.75]}}, "lr": {"lr": {"x": [10, 20], "y": [0.5, 0.25]}}}',
     [(10, 2.5), (20, 2.25)], {"eval_loss": [(20, 2.75)], "lr": [(10, 0.5), (20, 0.25)]}),
    ("ClearML by phases", '{"train": {"loss": {"x": [10, 20], "y": [2.5, 2.25]}}, "validation": {"loss": {"x": [20], "y": [2.75]}}}',
     [(10, 2.5), (20, 2.25)], {"eval_loss": [(20, 2.75)]}),
    ("lists by phases", '{"train": {"loss": [2.5, 2.25]}, "val": {"loss": [2.75, 2.5]}}', [(1, 2.5), (2, 2.25)], {"eval_loss": [(1, 2.75), (2, 2.5)]}),
    ("lists of losses", '{"train_losses": [2.5, 2.25], "val_losses": [2.75, 2.5]}', [(1, 2.5), (2, 2.25)], {"eval_loss": [(1, 2.75), (2, 2.5)]}),
    ("a history of Keras", '{"params": {"epochs": 2}, "history": {"loss": [2.5, 2.25], "val_loss": [2.75, 2.5]}}', [(1, 2.5), (2, 2.25)], {"eval_loss": [(1, 2.75), (2, 2.5)]}),
    ("records in a list", '{"config": {"lr": 0.1, "stages": [{"epoch": 1, "lr": 0.5}]}, "history": [{"step": 1, "loss": 2.5}, {"step": 2, "loss": 2.25}]}', [(1, 2.5), (2, 2.25)], {}),
    ("records by steps", '{"10": {"loss": 2.5, "lr": 0.5}, "20": {"loss": 2.25, "lr": 0.25}}', [(10, 2.5), (20, 2.25)], {"lr": [(10, 0.5), (20, 0.25)]}),
    ("values by steps", '{"loss": {"10": 2.5, "20": 2.25}, "vocab": {"1": 7}}', [(10, 2.5), (20, 2.25)], {}),
    ("a table of pandas", '{"step": {"0": 10, "1": 20}, "loss": {"0": 2.5, "1": 2.25}}', [(10, 2.5), (20, 2.25)], {}),
    ("Model Garden with evaluations", "train | step:    100 | steps/sec:    3.1 | output: \n    {'learning_rate': 0.5,\n     'train_loss': 2.5}\n"
                                      " eval | step:    100 | eval time:    5.1 sec | output: \n    {'accuracy': 0.75,\n     'validation_loss': 2.75}\n"
                                      "train | step:    200 | steps/sec:    3.1 | output: {'train_loss': 2.25}\n"
                                      " eval | step:    200 | eval time:    5.1 sec | output: {'validation_loss': 2.5}\n",
     [(100, 2.5), (200, 2.25)], {"eval_loss": [(100, 2.75), (200, 2.5)], "accuracy": [(100, 0.75)]}),
    ("dicts below a line that is done", "Train step 10/1000 done\n{'loss': 2.5, 'lr': 0.1}\n{'loss': 2.25, 'lr': 0.1}\nTrain step 20/1000 done\n{'loss': 2.0, 'lr': 0.1}\n",
     [(1, 2.5), (2, 2.25), (3, 2)], {}),
    ("a dict with keys in pairs", "step 1 metrics {('loss', 1): 2.5} loss 3.5\nstep 2 metrics {('loss', 1): 2.5} loss 3.25\n", [(1, 3.5), (2, 3.25)], {}),
    ("a loss in two numbers", "step 10 loss: [2.5, 2.75]\nstep 20 loss: [2.25, 2.5]\n", [(10, 2.5), (20, 2.25)], {}),
    ("many losses without names", "".join(f"Losses: [9, 8, 7, 6, 5, 4, 3, 2, {9 - s / 10}, 1], step: {s}\n" for s in (10, 20)), [],
     {f"loss.loss_{k}": [(10, 10 - k), (20, 10 - k)] for k in range(1, 9)} | {"loss.loss_9": [(10, 8), (20, 7)], "loss.loss_10": [(10, 1), (20, 1)]}),
    *((f"a step beside {head}", "".join(f"{head.format(e=e, i=i)} {word} {100 * e + i} loss: {3 - i / 10}\n" for e in (1, 2) for i in (10, 20)),
       [(110, 2), (120, 1), (210, 2), (220, 1)], {})
      for head, word in (("Epoch: [{e}/3] [{i}/40]", "step:"), ("epoch: [{e}] [{i}/40]", "step:"), ("Epoch: [{e}/3][{i}/40]", "iter:"),
                         ("Train: [{e}][{i}/40]", "global_step:"), ("Epoch [{e}/3]: [{i}/40]", "iteration"), ("epoch: {e} Training [{i}/40]", "step:"))),
    *((f"steps behind {word}", "".join(f"{word}: 4 步数: {s} 损失: {3 - s}\n" for s in (1, 2)), [(1, 2), (2, 1)], {})
      for word in ("梯度累计更新步数", "梯度累积步数", "梯度累计 步数", "梯度累加优化器步数")),
    ("a list beside pairs of an evaluation", '{"loss": [2.5, 2.25, 2.0], "eval_loss": [[1, 1.5], [3, 1.25]]}', [(1, 2.5), (2, 2.25), (3, 2.0)],
     {"eval_loss": [(1, 1.5), (3, 1.25)]}),
    ("a list beside settings in pairs", '{"loss": [2.5, 2.25, 2.0], "milestones": [[1, 2], [3, 4]], "model": {"shape": [[3, 4]], "boxes": [{"step": 1, "value": 2}]}}',
     [(1, 2.5), (2, 2.25), (3, 2.0)], {}),
    ("steps and values of no series", '{"train": {"step": [10, 20], "value": [2.5, 2.25], "loss": [3.5, 3.25]}, "val": {"step": [10], "value": [1]}}',
     [(10, 3.5), (20, 3.25)], {}),
    ("pairs with a time that is null", "[[null, 10, 2.5], [null, 20, 2.25]]", [(10, 2.5), (20, 2.25)], {}),
    ("losses of two nets", "[Epoch 1/10] [Batch 1/60] [D loss: 0.5] [G loss: 2.5]\n[Epoch 1/10] [Batch 2/60] [D loss: 0.25] [G loss: 2.25]\n",
     [], {"loss.D_loss": [(1, 0.5), (2, 0.25)], "loss.G_loss": [(1, 2.5), (2, 2.25)]}),
    ("losses beside the actor's", "Epoch: 0 | Step: 1 | Actor Loss: 0.5 | Critic Loss: 2.5 | Unsupervised Loss: 1.5\n"
                                  "Epoch: 0 | Step: 2 | Actor Loss: 0.25 | Critic Loss: 2.25 | Unsupervised Loss: 1.25\n",
     [(1, 0.5), (2, 0.25)], {"loss.Critic_Loss": [(1, 2.5), (2, 2.25)], "loss.Unsupervised_Loss": [(1, 1.5), (2, 1.25)]}),
    ("a loss and its mean", "step: 1 current loss: 2.5 average loss: 3.5\nstep: 2 current loss: 2.25 average loss: 3.25\n", [(1, 2.5), (2, 2.25)], {}),
    ("prime-rl", "INFO Step 1 | Time: 9.1s | Loss: 2.5 | Grad. Norm: 0.5 | LR: 1e-06\nINFO Step 2 | Time: 9.1s | Loss: 2.25 | Grad. Norm: 0.25 | LR: 1e-06\n",
     [(1, 2.5), (2, 2.25)], {"grad_norm": [(1, 0.5), (2, 0.25)]}),
    ("LeRobot", "INFO step:200 smpl:2K ep:5 loss:2.5 grdn:0.5 lr:1e-05\nINFO step:400 smpl:3K ep:9 loss:2.25 grdn:0.25 lr:1e-05\n",
     [(200, 2.5), (400, 2.25)], {"grad_norm": [(200, 0.5), (400, 0.25)]}),
    ("a table of Aim", "run.hash,metric.name,metric.context.subset,step,epoch,value\nx,loss,train,10,1,2.5\nx,loss,val,10,1,3.5\nx,loss,train,20,1,2.25\n",
     [(10, 2.5), (20, 2.25)], {"eval_loss": [(10, 3.5)]}),
    ("moments in a table without names", "10,1700000000000,2.5\n20,1700000060000,2.25\n", [(10, 2.5), (20, 2.25)], {}),
    ("moments in front", "1700000000.5,10,2.5\n1700000060.5,20,2.25\n", [(10, 2.5), (20, 2.25)], {}),
    ("pairs by parts of epochs", "[[0.5, 2.5], [1, 2.25]]", [(0, 2.5), (1, 2.25)], {}),
    ("pairs below a name", '{"train/loss": [[10, 2.5], [20, 2.25]], "lr": [[1700000000.5, 10, 0.5]]}', [(10, 2.5), (20, 2.25)], {"lr": [(10, 0.5)]}),
    ("points below a name", '{"loss": [{"step": 10, "value": 2.5}, {"step": 20, "value": 2.25}], "lr": [{"x": 10, "y": 0.5}]}', [(10, 2.5), (20, 2.25)], {"lr": [(10, 0.5)]}),
    ("steps, times and values below a name", '{"loss": {"steps": [10, 20], "timestamps": ["2022-01-01T10:00", "2022-01-01T10:01"], "values": [2.5, 2.25]}, '
     '"val_acc": {"steps": [10, 20], "timestamps": ["2022-01-01T10:00", "2022-01-01T10:01"], "values": [0.5, 0.75]}}',
     [(10, 2.5), (20, 2.25)], {"val_acc": [(10, 0.5), (20, 0.75)]}),
    ("steps and values below a name", '{"loss": {"step": [10, 20], "value": [2.5, 2.25], "timestamp": [7, 8]}}', [(10, 2.5), (20, 2.25)], {}),
    ("quoted numbers in lists", '{"step": ["10", "20"], "loss": ["2.5", "2.25"]}', [(10, 2.5), (20, 2.25)], {}),
    ("Comet", '[{"metricName": "loss", "metricValue": "2.5", "step": 10}, {"metricName": "loss", "metricValue": "2.25", "step": 20}]', [(10, 2.5), (20, 2.25)], {}),
    ("named values", '{"metrics": [{"key": "train_loss", "value": 2.5, "timestamp": 1700000000000, "step": 1}, {"key": "lr", "value": 0.5, "step": 1}, '
                     '{"key": "train_loss", "value": 2.25, "timestamp": 1700000000001, "step": 2}]}', [(1, 2.5), (2, 2.25)], {"lr": [(1, 0.5)]}),
    ("named values on lines", '{"step": 1, "name": "train/loss", "value": 2.5}\n{"step": 1, "name": "lr", "value": 0.5}\n{"step": 2, "name": "train/loss", "value": 2.25}\n',
     [(1, 2.5), (2, 2.25)], {"lr": [(1, 0.5)]}),
    ("a value a row", "step,metric,value\n1,train/loss,2.5\n1,lr,0.5\n2,train/loss,2.25\n2,eval/loss,2.75\n2,lr,0.25\n",
     [(1, 2.5), (2, 2.25)], {"lr": [(1, 0.5), (2, 0.25)], "eval_loss": [(2, 2.75)]}),
    ("a value a row, by series", "run,metric,context,step,value\na,loss,{},1,2.5\na,loss,{},2,2.25\na,lr,{},1,0.5\na,lr,{},2,0.25\n",
     [(1, 2.5), (2, 2.25)], {"lr": [(1, 0.5), (2, 0.25)]}),
    ("a document over few lines between lines", "loading\n" + json.dumps({"log_history": [{"step": i, "loss": 3 - i / 4} for i in range(1, 5)]}, indent=2) + "\ndone\n",
     [(1, 2.75), (2, 2.5), (3, 2.25), (4, 2)], {}),
    *((f"a training and its evaluation in one object among lines, indented by {indent}", "loading\n" + "".join(
        json.dumps({"epoch": i, "train": {"loss": 3 - i / 4}, "val": {"loss": 4 - i / 4}}, indent=indent) + "\n" for i in range(4)) + "done\n",
       [(i + 1, 3 - i / 4) for i in range(4)], {"eval_loss": [(i + 1, 4 - i / 4) for i in range(4)]}) for indent in (None, 2)),
    ("a setting as JSON among lines", '{\n "lr": 0.1,\n "layers": [\n  1,\n  2\n ],\n "name": "a name that is longer than all lines of the log are together, so that it outweighs them"\n}\n'
                                      'step 1 loss 2.5\nstep 2 loss 2.25\n', [(1, 2.5), (2, 2.25)], {}),
    ("a phase a line of one epoch", "Epoch 1: train loss 2.5\nEpoch 1: val loss 2.75\nEpoch 2: train loss 2.25\nEpoch 2: val loss 2.5\n",
     [(1, 2.5), (2, 2.25)], {"eval_loss": [(1, 2.75), (2, 2.5)]}),
    ("a phase a line below an epoch", "Epoch 0/1\n----------\ntrain Loss: 2.5 Acc: 0.5\nval Loss: 2.75 Acc: 0.25\n\nEpoch 1/1\n----------\ntrain Loss: 2.25 Acc: 0.5\nval Loss: 2.5 Acc: 0.25\n",
     [(0, 2.5), (1, 2.25)], {"eval_loss": [(0, 2.75), (1, 2.5)]}),
    ("a phase a half of a line", "Epoch 1/2 | Train: loss 2.5 acc 0.5 | Val: loss 2.75 acc 0.25\nEpoch 2/2 | Train: loss 2.25 acc 0.5 | Val: loss 2.5 acc 0.25\n",
     [(1, 2.5), (2, 2.25)], {"eval_loss": [(1, 2.75), (2, 2.5)]}),
    ("a phase in brackets", "Epoch [1/2] [train] loss: 2.5 acc: 0.5 [val] loss: 2.75 acc: 0.25\nEpoch [2/2] [train] loss: 2.25 acc: 0.5 [val] loss: 2.5 acc: 0.25\n",
     [(1, 2.5), (2, 2.25)], {"eval_loss": [(1, 2.75), (2, 2.5)]}),
    ("Catalyst", "* Epoch 1 stats:\ntrain (1/2) loss: 2.5 | lr: 0.5\nvalid (1/2) loss: 2.75 | lr: 0.5\n* Epoch 2 stats:\ntrain (2/2) loss: 2.25 | lr: 0.5\nvalid (2/2) loss: 2.5\n",
     [(1, 2.5), (2, 2.25)], {}),
    ("means of ESPnet", "(trainer:762) INFO: 1epoch:train:1-50batch: loss_ctc=9.5, loss=2.5\n(trainer:762) INFO: 1epoch:train:51-100batch: loss_ctc=9.5, loss=2.25\n"
                        "(trainer:360) INFO: 1epoch results: [train] loss_ctc=9.5, loss=2.375, time=2.1 seconds, [valid] loss_ctc=9.5, loss=2.75, time=2.1 seconds\n",
     [(50, 2.5), (100, 2.25)], {"eval_loss": [(100, 2.75)]}),
    ("behind a bar", "40%|# | 4/10 [00:01<00:02, 3it/s] loss: 2.5\n50%|# | 5/10 [00:01<00:02, 3it/s] loss: 2.25\n", [(4, 2.5), (5, 2.25)], {}),
    ("a line behind a bar", "100%|# | 9/9 [00:01<00:00, 3it/s]step 20 loss 2.5\n100%|# | 9/9 [00:01<00:00, 3it/s]step 40 loss 2.25\n", [(20, 2.5), (40, 2.25)], {}),
    ("what was best", "step 10 loss 2.5\nstep 20 loss 2.25\nstep 30 loss 2.75\nDone, best loss 2.0 at step 20, lowest loss: 2.0 (epoch 1)\n",
     [(10, 2.5), (20, 2.25), (30, 2.75)], {}),
    ("batches of an evaluation", "step 10: loss 2.5\n  val batch 1/2 loss 7.0\n  val batch 2/2 loss 7.5\nstep 20: loss 2.25\n", [(10, 2.5), (20, 2.25)], {}),
    ("batches below the name of an evaluation", "step 10: loss 2.5\nRunning validation...\n  batch 1/2 loss 7.0\n  batch 2/2 loss 7.5\nstep 20: loss 2.25\n",
     [(10, 2.5), (20, 2.25)], {"eval_loss": [(10, 7.5)]}),
    ("steps below the name of an evaluation", "step 10/40: loss 2.5\nstep 15/40: loss 2.375\n== Evaluation ==\nstep 1/2: loss 7.0\nstep 2/2: loss 7.5\n"
                                              "== Training ==\nstep 20/40: loss 2.25\n", [(10, 2.5), (15, 2.375), (20, 2.25)], {"eval_loss": [(15, 7.5)]}),
    ("counters in brackets below the names of phases", "".join(
        "Epoch %d\nTrain:\n[1/2] loss %g\n[2/2] loss %g\nValid:\n[1/2] loss 7.0\n[2/2] loss 7.5\n" % row for row in ((1, 2.5, 2.25), (2, 2.125, 2.0625))),
     [(1, 2.5), (2, 2.25), (3, 2.125), (4, 2.0625)], {"eval_loss": [(2, 7.5), (4, 7.5)]}),
    ("a word of an evaluation among the settings", "Validation set: 500 samples\nTest\nstep 1/4: loss 2.5\nSaving test checkpoint\nloading test-data shard 2\nstep 2/5: loss 2.25\n",
     [(1, 2.5), (2, 2.25)], {}),
    ("evaluations that show no batches", "Training\n[1/2] loss: 2.5\n[2/2] loss: 2.25\nValidating...\n[1/2] loss: 2.125\n[2/2] loss: 2.0625\nValidating...\n",
     [(1, 2.5), (2, 2.25), (3, 2.125), (4, 2.0625)], {}),
    ("evaluations of as many batches", "".join("Epoch %d step 1/2: loss %g\nEpoch %d step 2/2: loss %g\n== Evaluation ==\nEpoch %d step 1/2: loss 7.0\nEpoch %d step 2/2: loss 7.5\n"
                                              % row for row in ((0, 2.5, 0, 2.25, 0, 0), (1, 2.125, 1, 2.0625, 1, 1))),
     [(1, 2.5), (2, 2.25), (3, 2.125), (4, 2.0625)], {"eval_loss": [(2, 7.5), (4, 7.5)]}),
    ("batches below an epoch", "".join("Epoch %d/2\nTraining...\n  Batch 1/2, Loss: %g\n  Batch 2/2, Loss: %g\n" % row for row in ((1, 2.5, 2.25), (2, 2.125, 2.0625))),
     [(1, 2.5), (2, 2.25), (3, 2.125), (4, 2.0625)], {}),
    ("batches without a name", "Epoch 1 | 10/20 | loss 2.5\nEpoch 1 | 20/20 | loss 2.25\nEpoch 2 | 10/20 | loss 2.0\n", [(10, 2.5), (20, 2.25), (30, 2.0)], {}),
    ("outputs of a step", "epoch: 1 step: 10, outputs are (2.5, False)\nepoch: 1 step: 20, outputs are (2.25, False)\n", [(10, 2.5), (20, 2.25)], {}),
    ("tensors of a step", "".join(
        "epoch: 1 step: %d, outputs are (Tensor(shape=[], dtype=Float32, value= %g), Tensor(shape=[], dtype=Bool, value= False))\n" % row
        for row in ((10, 2.5), (20, 2.25))), [(10, 2.5), (20, 2.25)], {}),
    ("lists as Python prints them", "done\ntrain_losses: [2.5, 2.25]\nval_losses: [2.75, 2.5]\nlrs: [0.5, 0.25]\n",
     [(1, 2.5), (2, 2.25)], {"eval_loss": [(1, 2.75), (2, 2.5)]}),
    ("pairs as Python prints them", "losses = [(10, 2.5), (20, 2.25)]\n", [(10, 2.5), (20, 2.25)], {}),
    ("a table behind bars", "start\nStep | Training Loss\n10 | 2.5\n20 | 2.25\n", [(10, 2.5), (20, 2.25)], {}),
    ("a table behind bars alone", "step|loss|lr\n10|2.5|0.5\n20|2.25|0.5\n", [(10, 2.5), (20, 2.25)], {"lr": [(10, 0.5), (20, 0.5)]}),
    ("thousands of steps", "step 500: loss 2.75\nstep 1k: loss 2.5\nstep 1.5k: loss 2.25\nstep 2k: loss 2.125\n",
     [(500, 2.75), (1000, 2.5), (1500, 2.25), (2000, 2.125)], {}),
    ("sentences", "Training loss at step 10 is 2.5\nValidation loss at step 10 is 2.75\nTraining loss at step 20 is 2.25\n",
     [(10, 2.5), (20, 2.25)], {"eval_loss": [(10, 2.75)]}),
    ("sentences of epochs", "Average loss for epoch 1: 2.5\nAverage loss for epoch 2: 2.25\n", [(1, 2.5), (2, 2.25)], {}),
    ("SageMaker", "".join("#quality_metric: host=algo-1, epoch=%d, train mse_objective <loss>=%g\n#quality_metric: host=algo-1, epoch=%d, "
                          "validation mse_objective <loss>=%g\n" % row for row in ((1, 2.5, 1, 2.75), (2, 2.25, 2, 2.5))),
     [(1, 2.5), (2, 2.25)], {"eval_loss": [(1, 2.75), (2, 2.5)]}),
    ("totals of icefall", "Epoch 1, batch 50, loss[loss=2.5, simple_loss=0.5, over 99.00 frames. ], tot_loss[loss=2.75, simple_loss=0.5, over 999.00 frames. ], lr: 0.5\n"
                          "Epoch 1, batch 100, loss[loss=2.25, simple_loss=0.5, over 99.00 frames. ], tot_loss[loss=2.5, simple_loss=0.5, over 999.00 frames. ], lr: 0.5\n",
     [(50, 2.5), (100, 2.25)], {"loss.tot_loss": [(50, 2.75), (100, 2.5)]}),
    ("arrays of JAX", "step 10 loss Array(2.5, dtype=float32)\nstep 20 loss Array(2.25, dtype=float32)\n", [(10, 2.5), (20, 2.25)], {}),
    ("it", "it=10 train_loss=2.5 val_loss=2.75 t=1.5s\nit=20 train_loss=2.25 val_loss=2.5 t=1.5s\n", [(10, 2.5), (20, 2.25)], {"eval_loss": [(10, 2.75), (20, 2.5)]}),
    ("Keras on lines", "Epoch 3/4\n20/20 - 5s - loss: 2.5 - val_loss: 2.75 - 5s/epoch - 3ms/step\nEpoch 4/4\n20/20 - 5s - 3ms/step - loss: 2.25 - val_loss: 2.5\n",
     [(3, 2.5), (4, 2.25)], {"eval_loss": [(3, 2.75), (4, 2.5)]}),
    ("MXNet", "INFO:root:Epoch[0] Batch [0-20]\tSpeed: 9.5 samples/sec\tcross-entropy=2.5\nINFO:root:Epoch[0] Batch [20-40]\tSpeed: 9.5 samples/sec\tcross-entropy=2.25\n",
     [(20, 2.5), (40, 2.25)], {}),
    ("several norms in an object", "step=1 loss=2.5 grad_norm={'0_default': 1.5, '1_fp32': 0.0} x=1\nstep=2 loss=2.25 grad_norm={'0_default': 1.25, '1_fp32': 0.0} x=1\n",
     [(1, 2.5), (2, 2.25)], {"grad_norm": [(1, 1.5), (2, 1.25)]}),
    ("quoted steps", "step=`100`, steps/sec 1.5, train loss: 2.5\nstep=`200`, steps/sec 1.5, train loss: 2.25\n", [(100, 2.5), (200, 2.25)], {}),
    ("a loss in the name of a bar", "\rEpoch 1 loss 2.5:  50%|#  | 1/2 [00:01<00:05, 1it/s]\rEpoch 1 loss 2.25: 100%|## | 2/2 [00:02<00:00, 1it/s]\n"
                                    "\rEpoch 1 val loss 9.5:  50%|#  | 1/9 [00:01<00:05, 1it/s]\rEpoch 2 loss 2.0:  50%|#  | 1/2 [00:01<00:05, 1it/s]\n",
     [(1, 2.5), (2, 2.25), (3, 2)], {}),
    ("bars of an evaluation", "Train:  50%|#  | 1/2 [00:01<00:05, 1it/s, loss=2.5]\rTrain: 100%|## | 2/2 [00:02<00:00, 1it/s, loss=2.25]\n"
                              "Valid:  50%|#  | 1/9 [00:01<00:05, 1it/s, loss=9.5]\rValid: 50%|#  | 9/9 [00:01<00:05, 1it/s, loss=9.5]\n", [(1, 2.5), (2, 2.25)], {}),
    ("bars that begin anew with each epoch and name none", "".join(
        "\r %d%%|## | %d/2 [00:0%d<00:01, 1.5it/s, loss=%g]" % (50 * (i % 2 + 1), i % 2 + 1, i % 2, 9 - i / 4) + "\n" * (i % 2) for i in range(8)),
     [(i + 1, 9 - i / 4) for i in range(8)], {}),
    ("bars of which the end alone is left", "".join(
        "100%%|##| 50/50 [00:0%d<00:00, 9.5it/s, loss=%g]\n100%%|##| 5/5 [00:01<00:00, 9.5it/s]\nepoch %d train loss 1.5 val loss 2.5\n" % (i, 9 - i / 4, i)
        for i in range(1, 5)), [(50 * i, 9 - i / 4) for i in range(1, 5)], {}),
    ("short bars behind those of an epoch", "".join(
        "".join("\r %d%%|## | %d/9 [00:01<00:01, 1.5it/s, loss=%g]" % (11 * i, i, 9 - e - i / 16) for i in (8, 9)) + "\n"
        + "".join("\r %d%%|## | %d/2 [00:01<00:01, 1.5it/s, loss=%g]" % (50 * i, i, 9.75 - e - i / 4) for i in (1, 2)) + "\n" for e in (0, 1)),
     [(8, 8.5), (9, 8.4375), (17, 7.5), (18, 7.4375)], {"eval_loss": [(9, 9.25), (18, 8.25)]}),
    ("steps that are rounded", "".join("INFO x step:%s smpl:%dK ep:3 epch:0.5 loss:%g grdn:2.5\n" % (
        ("%d" % (200 * i) if i < 5 else "%.0fK" % (i / 5 - 0.01)), i, 9 - i / 16) for i in range(1, 20)), [(200 * i, 9 - i / 16) for i in range(1, 20)], {}),
    ("steps that are rounded from the first on", "step:12K loss:9.5\nstep:12K loss:9.25\nstep:13K loss:9.0\nstep:13K loss:8.75\n",
     [(12000, 9.5), (12001, 9.25), (13000, 9), (13001, 8.75)], {}),
    ("collections of clu", "".join(
        "I01 logging_writer.py:48] [%d] collection=train accuracy=0.5, learning_rate=0.25, loss=%g\n"
        "I01 logging_writer.py:48] [%d] collection=training_eval/c4 accuracy=0.75, loss=%g\n" % row for row in ((100, 9.5, 100, 9.75), (200, 9.0, 200, 9.25))),
     [(100, 9.5), (200, 9)], {"lr": [(100, 0.25), (200, 0.25)], "eval_loss": [(100, 9.75), (200, 9.25)]}),
    ("the CV info of WeNet and CosyVoice", "".join(
        "x DEBUG TRAIN Batch %d/0 loss %s acc 0.25 lr 0.5 grad_norm 1.5 rank 0\nx DEBUG CV Batch %d/0 loss 3.5 acc 0.5 rank 0\n"
        "x INFO Epoch %d Step 10 CV info lr 0.5 0 loss %s acc 0.5\n" % row for row in ((0, 9.5, 0, 0, 9.75), (1, 9.0, 1, 1, 9.25))),
     [(0, 9.5), (1, 9)], {"eval_loss": [(0, 9.75), (1, 9.25)]}),
    ("a configuration with epochs above bars", "seed: 1\nepochs: 3\noptimizer:\n  lr: 0.5\n" + "".join(
        "\r1|%d|Loss: %g: 50%%|# | %d/4 [00:01<00:05, 1it/s]" % (i, 9 - i / 4, i) for i in range(1, 5)) + "\n", [(i, 9 - i / 4) for i in range(1, 5)], {}),
    ("bars below a rate of their epoch", "".join("Epoch: %d\nlr: 0.5\n" % e + "".join(
        "\rLoss: %g: 50%%|# | %d/2 [00:01<00:05, 1it/s]" % (9 - e - i / 4, i) for i in (1, 2)) + "\n" for e in (1, 2)),
     [(1, 7.75), (2, 7.5), (3, 6.75), (4, 6.5)], {}),
    *((f"a table of epochs, resumed{how}", "epoch,train_loss,val_loss\n" + "".join("%d,%g,3.5\n" % (i, 9 - i / 4) for i in range(6)) + head
       + "".join("%d,%g,3.5\n" % (i, 9 - i / 4) for i in range(4, 9)), [(i, 9 - i / 4) for i in range(9)], {}, "resumed")
      for how, head in (("", ""), (" with its header", "epoch,train_loss,val_loss\n"))),
    *((f"{first} in front of the loss of the step", "".join("step %d | %s: %g | %s: %g\n" % (i, first, 9, second, 9 - i / 4) for i in (1, 2)),
       [(1, 8.75), (2, 8.5)], {"loss." + first.replace(" ", "_"): [(1, 9), (2, 9)]})
      for first, second in (("avg loss", "loss"), ("Smoothed Loss", "Loss"), ("aux loss", "loss"), ("Average Loss", "Current Loss"), ("ema loss", "train loss"))),
    ("metrics of Comet", "experimentKey,metricName,metricValue,timestamp,step,epoch\n" + "".join(
        "ab,train_loss,%g,1700000000%d,%d,\nab,lr,0.5,1700000000%d,%d,\n" % (9 - i / 4, i, i, i, i) for i in (1, 2)),
     [(1, 8.75), (2, 8.5)], {"lr": [(1, 0.5), (2, 0.5)]}),
    ("results of Ray in a box", "".join(
        "╭────╮\n│ Training result │\n├────┤\n│ checkpoint_dir_name                │\n│ time_this_iter_s              2.12 │\n"
        "│ training_iteration               %d │\n│ loss                       %.2f │\n╰────╯\n" % (i, 9 - i / 4) for i in (1, 2)), [(1, 8.75), (2, 8.5)], {}),
    *((f"a total and bars behind {word}", "".join(f"{word} {i}/60 | loss {9 - i / 4} | lr 5e-01 |\n" for i in (1, 2)),
       [(1, 8.75), (2, 8.5)], {"lr": [(1, 0.5), (2, 0.5)]}) for word in ("iter", "Epoch 1/1 | Step", "Training step")),
    *((f"objects over several lines one behind the other{how}", mark.join(json.dumps({"loss": 9 - i / 4, "lr": 0.5, "step": i}, indent=2) for i in range(1, 5)) + "\n",
       [(i, 9 - i / 4) for i in range(1, 5)], {"lr": [(i, 0.5) for i in range(1, 5)]}) for how, mark in (("", "\n"), (" with commas", ",\n"), (" apart", "\n\n"))),
    ("lists of records one behind the other", "".join(json.dumps([{"loss": 9 - i / 4, "step": i} for i in some]) + "\n" for some in ((1, 2), (3, 4))),
     [(i, 9 - i / 4) for i in range(1, 5)], {}),
    *((f"counts in brackets{mark} in front", "".join(f"[{i}/60]{mark} loss {9 - i / 4} | lr 5e-01\n" for i in (1, 2)), [(1, 8.75), (2, 8.5)], {"lr": [(1, 0.5), (2, 0.5)]})
      for mark in (" |", " -")),
    ("steps of microbatches", "".join("".join("DEBUG Micro Step %d/2 | Loss: 5.5\n" % k for k in (0, 1)) + "SUCCESS Step %d | Loss: %g\n" % (i, 9 - i / 4)
                                      for i in range(4)), [(i, 9 - i / 4) for i in range(4)], {}),
    ("a loss of steps and of epochs", "epoch,loss_epoch,loss_step,step,val_loss\n0,,2.5,49,\n0,,2.25,99,\n0,2.375,,99,2.75\n", [(49, 2.5), (99, 2.25)], {"eval_loss": [(99, 2.75)]}),
    ("lines of an epoch with its steps, and a validation between bars", "".join(
        "Epoch %d |   Training | Elapsed Time: 0:01:00 | Steps: 100 | Loss: %g\nEpoch %d | Validation | Elapsed Time: 0:00:10 | Steps: 10 | Loss: %g\n" % row
        for row in ((0, 2.5, 0, 2.75), (1, 2.25, 1, 2.5), (2, 2.125, 2, 2.25))),
     [(100, 2.5), (200, 2.25), (300, 2.125)], {"eval_loss": [(100, 2.75), (200, 2.5), (300, 2.25)]}),
    ("steps over epochs, resumed an epoch before", "".join("epoch %d step %d loss: %g\n" % (e, i, 9 - i / 100) for e, i in (
        (1, 50), (1, 100), (2, 150), (2, 200), (1, 100), (2, 150), (2, 200), (3, 250))), [(i, 9 - i / 100) for i in range(50, 251, 50)], {}, True),
    ("steps that are rounded to three digits", "".join("| grad_norm | 1.5 |\n| loss | %g |\n| step | %.3g |\n----\n" % (9 - i / 16, 10 * i) for i in range(95, 105)),
     [(10 * i, 9 - i / 16) for i in range(95, 105)], {"grad_norm": [(10 * i, 1.5) for i in range(95, 105)]}),
    ("steps with exponents", "".join("loss: %g, lr: 5.0e-01, epoch: %.2e, step: %.2e\n" % (9 - i / 16, i / 8, 10 * i) for i in range(1, 5)),
     [(10 * i, 9 - i / 16) for i in range(1, 5)], {"lr": [(10 * i, 0.5) for i in range(1, 5)]}),
    ("commas of decimals", "".join("step: %d loss: %s lr: 0,0010 time: 1,5\n" % row for row in ((1, "2,5134"), (2, "2,25"))),
     [(1, 2.5134), (2, 2.25)], {"lr": [(1, 0.001), (2, 0.001)], "time": [(1, 1.5), (2, 1.5)]}),
    ("commas of decimals with three digits", "".join("step=%d, loss=%s, lr=0,001\n" % row for row in ((1, "2,513"), (2, "0,250"))),
     [(1, 2.513), (2, 0.25)], {"lr": [(1, 0.001), (2, 0.001)]}),
    ("commas of thousands and lists", "step: 1,000 loss: 2.5 tokens: 1,024,000 gpus: 0,1 shape: 1,3,256\nstep: 2,000 loss: 2.25 tokens: 2,048,000 gpus: 0,1 shape: 1,3,256\n",
     [(1000, 2.5), (2000, 2.25)], {"tokens": [(1000, 1024000), (2000, 2048000)]}),
    ("OpenPCDet", "".join("INFO  Train:    %d/2 ( 50%%) [  %d/20 ( 50%%)]  Loss: %g (2.6)  LR: 5.0e-01  Time cost: 00:10/10:00 [00:10/1:00:00]  Acc_iter 9\n" % row
                          for row in ((1, 10, 2.5), (1, 20, 2.25), (2, 10, 2.125))), [(10, 2.5), (20, 2.25), (30, 2.125)], {"lr": [(10, 0.5), (20, 0.5), (30, 0.5)]}),
    ("a loss by the token", "0: TRAIN [0][0/20]\tTime 0.1 (0.2)\tTok/s 123 (123)\tLoss/tok 2.5 (2.6)\tLR 5.0e-01\n0: VALIDATION [0][0/4]\tLoss/tok 9.5 (9.5)\n"
                            "0: TRAIN [1][0/20]\tTime 0.1 (0.2)\tTok/s 123 (123)\tLoss/tok 2.25 (2.6)\tLR 2.5e-01\n", [(0, 2.5), (20, 2.25)], {"lr": [(0, 0.5), (20, 0.25)]}),
    ("Tacotron 2", "Epoch: 0\nTrain loss 0 2.5 Grad Norm 1.5 1.23s/it\nTrain loss 1 2.25 Grad Norm 1.25 1.23s/it\nValidation loss 1:  2.75  \n",
     [(0, 2.5), (1, 2.25)], {"grad_norm": [(0, 1.5), (1, 1.25)], "eval_loss": [(1, 2.75)]}),
    ("a count of all and a share in front", "10/40 = 25.0%, SPS: 1.2, ELAP: 10s - loss: 2.5\n20/40 = 50.0%, SPS: 1.2, ELAP: 20s - loss: 2.25\n", [(10, 2.5), (20, 2.25)], {}),
    ("counts of all below their epoch, with means", "".join("epoch %d/2\n1/2, train_loss: %g\n2/2, train_loss: %g\nepoch %d average loss: 7.5\n" % row
                                                 for row in ((1, 2.5, 2.25, 1), (2, 2.125, 2.0625, 2))), [(1, 2.5), (2, 2.25), (3, 2.125), (4, 2.0625)], {}),
    ("names of columns in a comment above another", "#  step  rmse_val  loss  lr\n# nan where there is no data\n 10  2.75  2.5  5.0e-01\n 20  2.5  2.25  5.0e-01\n",
     [(10, 2.5), (20, 2.25)], {"lr": [(10, 0.5), (20, 0.5)]}),
    ("a rate by its schedule", "".join("epoch: %d, iter: %d, lr(LinearWarmup): 0.5, CELoss: %g, loss: %g\n" % row for row in ((1, 10, 2.5, 2.5), (1, 20, 2.25, 2.25))),
     [(10, 2.5), (20, 2.25)], {"lr": [(10, 0.5), (20, 0.5)]}),
    ("a loss of Chainer and its parts", json.dumps([{"main/loss": v, "main/loss_ctc": 9, "main/loss_att": 1, "iteration": i, "epoch": 0, "validation/main/loss": v + 1}
                                                    for i, v in ((10, 2.5), (20, 2.25))]), [(10, 2.5), (20, 2.25)], {"eval_loss": [(10, 3.5), (20, 3.25)]}),
    ("a loss of training and its parts", "epoch, training_loss_f, training_loss_e, training_loss\n1, 9, 1, 2.5\n2, 9, 1, 2.25\n", [(1, 2.5), (2, 2.25)], {}),
    ("dicts without a step above lines with one", "".join("{'loss': %g, 'epoch': 0.5}\nstep: %d loss: %g lr: 0.5\n" % (9 - i / 8, 10 * i, 9 - i / 8) for i in range(1, 7)),
     [(1, 8.875)] + [(10 * i, 9 - i / 8) for i in range(1, 7)], {"lr": [(10 * i, 0.5) for i in range(1, 7)]}),
    ("epochs in a frame above their batches", "".join("===== EPOCH %d/2 =====\n  batch 1/2 | loss: %g\n  batch 2/2 | loss: %g\n" % row for row in ((1, 2.5, 2.25), (2, 2.125, 2.0625))),
     [(1, 2.5), (2, 2.25), (3, 2.125), (4, 2.0625)], {}),
    ("dicts without a step below lines with one", "".join("step: %d loss: %g lr: 0.5\n{'loss': %g, 'epoch': 0.5}\n" % (10 * i, 9 - i / 8, 9 - i / 8) for i in range(1, 7)),
     [(10 * i, 9 - i / 8) for i in range(1, 7)], {"lr": [(10 * i, 0.5) for i in range(1, 7)]}),
    *((f"no finite number as {word}", "".join("step %d loss: %s lr: 0.5\n" % (i, word if i == 2 else 9 - i / 8) for i in (1, 2, 3)),
       [(1, 8.875), (2, float(value)), (3, 8.625)], {"lr": [(1, 0.5), (2, 0.5), (3, 0.5)]})
      for word, value in (("1.#QNAN", "nan"), ("-1.#IND00", "nan"), ("1.#INF", "inf"), ("-nan(ind)", "nan"), ("∞", "inf"))),
    *((f"numbers with their type in {where}", "".join(form % (i, "tensor(%s, device='cuda:0')" % v if i > 1 else v) for i, v in ((1, "2.5"), (2, "nan"), (3, "2.25"))),
       [(1, 2.5), (2, float("nan")), (3, 2.25)], {"lr": [(1, 0.5), (2, 0.5), (3, 0.5)]})
      for where, form in (("a dict among plain ones", "{'step': %d, 'loss': %s, 'lr': 0.5}\n"), ("JSON", '{"step": %d, "loss": "%s", "lr": 0.5}\n'))),
    ("evaluations of MindSpore", "".join(
        "epoch: %d step: 1, loss is %s\nepoch: %d step: 2, loss is %s\nTrain epoch time: 9.5 ms, per step time: 9.1 ms\n"
        "Eval result: epoch %d, metrics: {'loss': %s, 'acc': 0.5}\n" % row for row in ((1, 9.5, 1, 9.25, 1, 9.75), (2, 9.0, 2, 8.75, 2, 9.125))),
     [(1, 9.5), (2, 9.25), (3, 9), (4, 8.75)], {"eval_loss": [(2, 9.75), (4, 9.125)], "eval_acc": [(2, 0.5), (4, 0.5)]}),
    ("rewards above their loss below a heading", "".join(
        "======= Step %d/60 =======\n  • Avg Reward: %s\n  • Loss: %s\n" % row for row in ((1, 0.5, 9.5), (2, 0.75, 9.0))),
     [(1, 9.5), (2, 9)], {"Avg_Reward": [(1, 0.5), (2, 0.75)]}),
    ("rewards of another counter", "".join(
        "x.py:9] [Learner] Learner Steps = %d | Loss = %s\nx.py:9] [Actor] Actor Steps = %d | Max Return = 9.5 | Mean Return = %s\n" % row
        for row in ((10, 9.5, 200, 0.5), (20, 9.0, 400, 0.75))), [(10, 9.5), (20, 9)], {"Mean_Return": [(10, 0.5), (20, 0.75)]}),
    ("rewards of the counter of training", "".join(
        "step %d reward: %s\nstep %d loss: %s\n" % (i, i / 8, i, 9 - i / 8) for i in (1, 2, 3)), [(1, 8.875), (2, 8.75), (3, 8.625)],
     {"reward": [(2, 0.25), (3, 0.375)]}),
    ("luz", "".join("Epoch %d/3\nTrain metrics: Loss: %s - Acc: 0.5\nValid metrics: Loss: %s - Acc: 0.25\n" % row
                    for row in ((1, 2.5, 2.75), (2, 2.25, 2.5), (3, 2.0, 2.25))), [(1, 2.5), (2, 2.25), (3, 2)],
     {"Acc": [(1, 0.5), (2, 0.5), (3, 0.5)], "eval_loss": [(1, 2.75), (2, 2.5), (3, 2.25)], "eval_Acc": [(1, 0.25), (2, 0.25), (3, 0.25)]}),
    ("EVAL lines", "TRAIN - step: 10 - loss: 2.5\nEVAL - step: 10 - loss: 2.75\nTRAIN - step: 20 - loss: 2.25\n", [(10, 2.5), (20, 2.25)], {"eval_loss": [(10, 2.75)]}),
)

# A step and what an evaluation prints after ten of them: {i} of all, {s} of ten in the epoch {e}.
EVALUATIONS = (
    ("mindspore", "epoch: %(e)d step: %(s)d, loss is %(v)f\n", "Eval result: epoch %(e)d, metrics: {'loss': %(v)f, 'acc': 0.5}\n"),
    ("nanochat", "step %(i)05d/600 (0.05%%) | loss: %(v)f | lrm: 1.00 | dt: 9.50ms\n", "Step %(i)05d | Validation bpb: %(v)f\n"),
    ("opennmt", "[2020-01-01 10:00:49,123 INFO] Step %(i)d/600; acc: 20.1; ppl: 9.5; xent: %(v)f; lr: 0.001;      0 sec;\n",
     "[2020-01-01 10:00:49,123 INFO] valid stats calculation\n                           took: 10.1 s.\n"
     "[2020-01-01 10:00:49,123 INFO] Validation perplexity: %(v)f\n[2020-01-01 10:00:49,123 INFO] Validation accuracy: 50.5\n"),
    ("joeynmt", "2021-01-01 10:00:49,123 - INFO - joeynmt.training - Epoch %(e)3d, Step: %(i)8d, Batch Loss: %(v)12f, Batch Acc: 0.5, Lr: 0.001\n",
     "2021-01-01 10:00:49,123 - INFO - joeynmt.prediction - Evaluation result (greedy) bleu:   12.50, loss: %(v)f, ppl: 9.5, acc: 0.5, generation: 1.4[sec]\n"),
    ("flair", "2021-01-01 10:00:49,123 epoch %(e)d - iter %(s)d/10 - loss %(v)f - time (sec): 1.26 - lr: 0.001\n",
     "2021-01-01 10:00:49,123 DEV : loss %(v)f - f1-score (micro avg)  0.2908\n"),
    ("caffe", "I0101 10:00:49.123456  1234 solver.cpp:218] Iteration %(i)d (1.8 iter/s, 11.8s/20 iters), loss = %(v)f\n",
     "I0101 10:00:49.123456  1234 solver.cpp:330] Iteration %(i)d, Testing net (#0)\n"
     "I0101 10:00:49.123456  1234 solver.cpp:397]     Test net output #0: accuracy = 0.5\n"
     "I0101 10:00:49.123456  1234 solver.cpp:397]     Test net output #1: loss = %(v)f (* 1 = %(v)f loss)\n"),
    ("caffe, accuracy alone", "I0101 10:00:49.123456  1234 solver.cpp:218] Iteration %(i)d (1.8 iter/s, 11.8s/20 iters), loss = %(v)f\n",
     "I0101 10:00:49.123456  1234 solver.cpp:397]     Test net output #0: accuracy = %(v)f\n"),
    ("vae", "Train Epoch: %(e)d [%(s)d/10 (21%%)]\tLoss: %(v)f\n", "====> Epoch: %(e)d Average loss: 5.5\n====> Test set loss: %(v)f\n"),
    ("lasagne", "  training loss:\t\t%(v)f\n", "  validation loss:\t\t%(v)f\n  validation accuracy:\t\t20.09 %%\n"),
    ("numbered, accuracy alone", "loss: %(v)f\n", "val acc: %(v)f\n"),
)

# A record of training with the rewards in lines of their own.
REWARDS = (
    ("nemo-rl", "========================= Step %(i)d/60 =========================\n▶ Preparing batch...\n📊 Training Results:\n  • Loss: %(v).4f\n"
     "  • Avg Reward: %(r).4f\n  • Mean Generation Length: 100.5\n\n⏱️  Timing:\n  • Total step time: 9.62s\n\n"),
    ("nemo-rl, rewards above", "========================= Step %(i)d/60 =========================\n  • Avg Reward: %(r).4f\n  • Loss: %(v).4f\n"),
    ("deepspeed-chat", "Epoch: 0 | Step: %(i)d | PPO Epoch: 1 | Actor Loss: %(v).9f | Critic Loss: 0.5 | Unsupervised Loss: 0.0\n"
     "End-to-End => Latency: 9.62s, TFLOPs: 9.74, Samples/sec: 9.80\naverage reward score: %(r).9f\n-----\n"),
    ("rsl_rl", "#####\n       \33[1m Learning iteration %(i)d/1500 \33[0m\n\n   Computation: 54185 steps/s (collection: 1.742s, learning 0.180s)\n"
     "   Value function loss: %(v).4f\n   Surrogate loss: 0.9\n   Mean reward: %(r).2f\n   Mean episode length: 20.1\n-----\n   Total timesteps: 98304\n"
     "   Iteration time: 1.94s\n"),
    ("acme", "I0101 10:00:49.1 140 terminal.py:91] [Learner] Critic Loss = 0.5 | Learner Steps = %(i)d0 | Policy Loss = %(v).3f\n"
     "I0101 10:00:49.1 140 terminal.py:91] [Actor] Actor Episodes = %(i)d | Actor Steps = %(i)d00 | Episode Length = 200 | Episode Return = %(r).3f\n"),
    ("slime", "(Actor pid=123, ip=10.0.0.5) [2025-07-07 10:00:57] model.py:456 - step %(i)d: {'train/loss': %(v).9f, 'train/grad_norm': 1.5}\n"
     "(RolloutManager pid=99) [2025-07-07 10:00:32] rollout.py:123 - perf %(i)d: {'rollout/response_len/mean': 100.5, 'rollout/raw_reward': %(r).9f}\n"),
    ("a loop", "step %(i)d loss: %(v).4f\nstep %(i)d mean reward: %(r).4f max reward: 9.5\n"),
    ("tianshou", "step %(i)d loss: %(v).4f\nEpoch #%(i)d: test_reward: %(r).6f ± 0.000000, best_reward: 100.000000 ± 0.000000 in #1\n"),
)

# Columns of two runs.
SIDES = ("步数,GPU损失,NPU损失", "step,GPULoss,NPULoss", "step,loss_gpu,loss_npu", "step,gpuLoss,npuLoss", "step,标杆loss,待测loss", "step,loss(GPU),loss(NPU)",
         "step,GPU 训练损失,NPU 训练损失", "step,gpuloss,npuloss", "step,lossGPU,lossNPU", "迭代,loss（GPU）,loss（NPU）", "step,损失-GPU,损失-NPU",
         "step,A100 loss,Ascend910B loss", "step,loss[gpu],loss[npu]", "Step,PyTorchLoss,MindSporeLoss", "step,torch.loss,ms.loss", "step,基准损失,目标损失",
         "step,loss:gpu,loss:npu", "step,Loss@GPU,Loss@NPU", "iter,gpu_lm_loss,npu_lm_loss", "step,loss_golden,loss", "step,标杆loss,loss")

# A label, a place or an address is no series.
LABELS = (
    "level=info rank=0 world=8 node=7 pid=12 step=%d loss=%.1f\n", "(TrainWorker pid=1234, ip=10.0.0.1) step: %d, loss: %.1f\n",
    "2026-01-01 10:00:01.123 | INFO | trainer:train:87 - step %d loss=%.1f\n", "{'step': %d, 'loss': tensor(%.1f, device='cuda:0')}\n",
    "train:   3%%|#  | %d/100 [00:10<1:00:50, 1.20it/s, loss=%.1f]\n",
)


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.out = os.path.join(self.folder, "out")

    def tearDown(self):
        shutil.rmtree(self.folder)

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(text if isinstance(text, bytes) else text.encode())
        return path

    def run_curves(self, *arguments, stdin=None):
        env = dict(os.environ, LC_ALL="C", LANG="C", NO_COLOR="1")
        done = subprocess.run([VERNIER, "curves", *arguments, "-o", self.out, "--format", "json,csv"], env=env, input=stdin,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        return done.returncode, (done.stderr + done.stdout).decode()

    def series(self, *arguments, code=0, stdin=None):
        got, said = self.run_curves(*arguments, stdin=stdin)
        self.assertEqual(got, code, said)
        with open(os.path.join(self.out, "summary.json"), encoding="utf-8") as f:
            runs = json.load(f)["runs"]
        with open(os.path.join(self.out, "curves.csv"), encoding="utf-8", newline="") as f:
            rows = list(csv.reader(f))
        found = {}
        for row in rows[1:]:
            for head, cell in zip(rows[0][1:], row[1:]):
                if cell:
                    found.setdefault(head[len(runs[0]["name"]) + 2:], []).append((int(row[0]), float(cell)))
        return runs, found


class Forms(Case):
    def test_a_loss_that_is_no_number_in_front_of_a_mean_is_found(self):
        def log(name, at):
            return self.write(name, "".join("step:[%d/60], loss:[%s/6.5], lr:[0.5]\n" % (i, "nan" if i == at else 9 - i / 20) for i in range(1, 61)))

        code, said = self.run_curves(log("g", 0), log("t", 40))
        self.assertEqual((code, "no number" in said), (1, True), said)

    def test_a_word_where_a_loss_stands_costs_it_at_that_step_and_a_setting_is_no_record(self):
        def record(step, loss, more):
            return "%r\n" % {"loss": loss, **more, "learning_rate": 0.5, "epoch": step / 8}

        for name, more in (("with a norm", {"grad_norm": 1.5}), ("without one", {})):
            for word in ("overflow", "skipped"):
                with self.subTest(name, word=word):
                    at = (1, 7) if more else (7,)
                    lines = [record(step, word if step in at else 9 - step / 8, more) for step in range(1, 17)]
                    lines.insert(9, "%r\n" % {"loss": "mse", "learning_rate": 0.5, "epochs": 3, "batch": 8})
                    _, found = self.series(self.write("a.log", "%r\n" % {"loss": "mse", "learning_rate": 0.5, "epochs": 3} + "".join(lines)))
                    self.assertEqual(found["loss"], [(step, 9 - step / 8) for step in range(1, 17) if step not in at])
                    self.assertEqual(found["lr"], [(step, 0.5) for step in range(1, 17)])

    def test_labels_places_and_addresses_are_no_series(self):
        for form in LABELS:
            with self.subTest(form):
                _, found = self.series(self.write("train.log", form % (1, 2.5) + form % (2, 2)))
                self.assertEqual(found, {"loss": [(1, 2.5), (2, 2)]})

    def test_a_list_below_an_epoch_has_its_step_and_its_rate(self):
        rows = ((1, 0, 0, "0.5", "2.5"), (1, 50, 200, "0.5", "2.25"), (2, 0, 400, "0.25", "2.0"))
        found = self.series(self.write("a.log", "".join(
            "2022-01-01 10:00:19,123\tmi-test\tINFO\tTrain Epoch: %d [%d%%]\n2022-01-01 10:00:20,124\tmi-test\tINFO\t[%d, %s]\n"
            "2022-01-01 10:00:20,125\tmi-test\tINFO\tloss_disc=0.5, loss_gen=%s\n" % row for row in rows)))[1]
        self.assertEqual(found["loss.loss_gen"], [(0, 2.5), (200, 2.25), (400, 2)])
        self.assertEqual(found["lr"], [(0, 0.5), (200, 0.5), (400, 0.25)])

    def test_each_form_gives_its_loss_at_its_steps(self):
        for name, text, loss, others, *restarts in FORMS:
            with self.subTest(name):
                runs, found = self.series(self.write("a.log", text))
                self.assertEqual(runs[0]["judged"], "loss" if loss else ", ".join(others))
                self.assertEqual(str(found.get("loss", [])), str([(x, float(v)) for x, v in loss]))
                for series, points in others.items():
                    self.assertEqual(found[series], points, series)
                self.assertEqual(any(e["kind"] == "restart" for e in runs[0]["events"]), bool(restarts))

    def test_the_commonest_records_are_read_or_told(self):
        rows = "".join("%-10d[%.2e, 3.00e-01]    [%.2e, 3.00e-01]    []\n" % (1000 * i, 9 / (i + 1), 8 / (i + 1)) for i in range(12))
        code, said = self.run_curves(self.write("a.log", rows + "\nBest model at step 11000:\n  train loss: 3.00e-01\n"))
        self.assertEqual((code, "12 lines like this one" in said), (4, True), said)

    def test_skips_are_counted_where_a_record_counts_them(self):
        for name, line, counted in (
                ("a fork of Megatron", " iteration %d/ 100 | lm loss: %s | grad norm: 1.5 |\n", False),
                ("Megatron", " iteration %d/ 100 | lm loss: %s | number of skipped iterations: 0 | number of nan iterations: 0 |\n", True),
                ("steps of DeepSpeed", "steps: %d loss: %s iter time (s): 0.5 samples/sec: 9.5\n", False),
                ("MindFormers", "INFO - { Epoch:[  1/  2], step:[ %d/  40], loss: %s, overflow cond: False, loss_scale: 1.0\n", True)):
            with self.subTest(name):
                _, said = self.run_curves(self.write("a.log", "".join(line % (i, 9 - i / 8) for i in range(1, 9))))
                self.assertEqual("skips 0" in said, counted, said)

    def test_a_document_among_other_lines_is_refused_or_partial(self):
        whole = {"log_history": [{"step": 1, "loss": 2.5}, {"step": 2, "loss": 2.25}], "max_steps": 2}
        over_lines = json.dumps(whole, indent=1)
        for name, text, expected in (
                ("below a banner", "WARNING: fork\n" + json.dumps({"lm loss": {"values": {"10": 2.5, "20": 2.25}}}, indent=2) + "\nroot@host:~#\n", 3),
                ("on one line", "INFO: [done]\n" + json.dumps(whole) + "\n", 3),
                ("of columns over lines", "loading\n" + json.dumps({"train_loss": [2.5, 2.25], "epoch": [1, 2]}, indent=2) + "\ndone\n", 3),
                ("with lines inside", over_lines.replace("  {", "[2026-01-01 10:00:00] saved\n  {", 2).replace("[2026-01-01 10:00:00] saved\n", "", 1) + "\n", 4)):
            with self.subTest(name):
                code, said = self.run_curves(self.write("a.log", text))
                self.assertEqual(code, expected, said)

    def test_a_printed_setting_hides_no_log_below_it(self):
        setting = "Arguments:\n{\n" + "".join('  "option_%d": "a value of it",\n' % i for i in range(40)) + '  %s: [3.0, 2.5, 2.0]\n}\n'
        for name in ('"loss_thresholds"', '"lr"', '"loss"'):
            for head in ("Arguments:\n", ""):
                sides = [self.write(side + ".log", (setting % name).replace("Arguments:\n", head) + "".join(
                    "step %d loss %.3f\n" % (step, 3 - step / 20 + (step > 9) * off) for step in range(1, 22))) for side, off in (("g", 0), ("t", 1))]
                code, said = self.run_curves(*sides)
                self.assertEqual((code, "OUTSIDE" in said), (1, True), said)

    def test_of_records_and_columns_in_one_document_the_longer_is_read_and_lists_without_steps_are_told(self):
        columns = {"step": list(range(1, 31)), "loss": [3 - step / 20 for step in range(1, 31)]}
        records = [{"step": 10, "loss": 2.5}, {"step": 20, "loss": 2.0}]
        found = self.series(self.write("a.json", json.dumps({"checkpoints": records, **columns})))[1]
        self.assertEqual(len(found["loss"]), 30)
        history = [{"step": step, "loss": 3 - step / 20} for step in range(1, 31)]
        found = self.series(self.write("b.json", json.dumps({"history": history, "lr": [0.1, 0.2]})))[1]
        self.assertEqual(len(found["loss"]), 30)
        keyed = {"step": [10, 20, 30], "loss": {"10": 2.5, "20": 2.4, "25": 2.3}, "grad_norm": [1.5, 1.4, 1.3]}
        found = self.series(self.write("k.json", json.dumps(keyed)))[1]
        self.assertEqual(found, {"loss": [(10, 2.5), (20, 2.4), (25, 2.3)], "grad_norm": [(10, 1.5), (20, 1.4), (30, 1.3)]})
        keyed = {"loss": {"1": 2.5, "2": 2.4, "3": 2.3}, "grad_norm": [1.5, 1.4, 1.3]}
        code, said = self.run_curves(self.write("c.json", json.dumps(keyed)), "-g",
                                     self.write("d.json", json.dumps({**keyed, "grad_norm": [9.5, 9.4, 9.3]})))
        self.assertEqual((code, "1 list of numbers next to series with steps of their own has none" in said), (4, True), said)

    def test_columns_of_one_measure_are_golden_and_target_however_their_sides_are_written(self):
        rows = "".join("%d,%.4f,%.4f\n" % (i, 9 - i / 20, 9.9 - i / 20) for i in range(1, 40))
        for head in SIDES:
            for separator in ",\t":
                with self.subTest(head, separator=separator):
                    code, said = self.run_curves(self.write("a.csv", (head + "\n" + rows).replace(",", separator)))
                    self.assertEqual((code, "above golden" in said), (1, True), said)
        for head in ("step,loss,base_loss", "step,loss,test_loss", "step,loss,aux_loss", "step,policy_loss,value_loss", "step,newloss,oldloss"):
            self.assertEqual(self.run_curves(self.write("a.csv", head + "\n" + rows))[0], 0, head)

    def test_losses_that_are_called_after_their_device_are_compared(self):
        def table(device, factor):
            return self.write(device + "_loss.csv", "step,gpu_lm_loss,gpu_aux_loss\n".replace("gpu", device) + "".join(
                "%d,%g,0.5\n" % (i, factor * (9 - i / 20)) for i in range(1, 60)))
        for factor, want in ((1, 0), (2, 1)):
            code, said = self.run_curves(table("gpu", 1), table("npu", factor))
            self.assertEqual(code, want, said)
        for title in ("gpu_loss,npu_loss", "GPU loss,NPU loss", "loss (gpu),loss (npu)", "baseline loss,ours loss", "NPU loss,GPU loss"):
            for factor, want in ((1, 0), (2, 1)):
                first, second = (factor, 1) if title.startswith("NPU") else (1, factor)
                both = self.write("both.csv", "step,%s,relative error\n" % title + "".join(
                    "%d,%g,%g,0.5%%\n" % (i, first * (9 - i / 20), second * (9 - i / 20)) for i in range(1, 60)))
                code, said = self.run_curves(both)
                self.assertEqual(code, want, title + said)
        losses = self.write("losses.csv", "step,policy loss,value loss\n" + "".join("%d,2.5,2.25\n" % i for i in range(1, 9)))
        self.assertEqual(sorted(self.series(losses)[1]), ["loss.policy_loss", "loss.value_loss"])

    def test_no_part_of_a_loss_and_no_series_of_a_document_goes_without_a_word(self):
        losses = self.series(self.write("a.log", "".join("Losses: [%s], step: %d\n" % (", ".join("%g" % (k + 0.5) for k in range(40)), s) for s in (200, 400))))[1]
        self.assertEqual(losses["loss.loss_40"], [(200, 39.5), (400, 39.5)])
        for count, told in ((1500, False), (5000, True)):
            document = self.write("a.json", json.dumps({"s%d/loss" % k: [2.5, 2.25] for k in range(count)}))
            done = subprocess.run([VERNIER, "convert", document, "-o", os.path.join(os.path.dirname(document), "a.csv")], stderr=subprocess.PIPE, check=False)
            self.assertEqual((done.returncode, "only the first 4,096 names of series are kept" in done.stderr.decode()), (4 if told else 0, told))

    def test_a_table_that_pandas_describes_is_no_dump(self):
        document = {"schema": {"fields": [{"name": "step", "type": "integer"}, {"name": "loss", "type": "number"}]},
                    "data": [{"step": 10, "loss": 2.5}, {"step": 20, "loss": 2.25}]}
        path = self.write("a.json", json.dumps(document))
        subprocess.run([VERNIER, "convert", path, "-q", "-o", path + ".csv"], check=True)
        with open(path + ".csv", encoding="utf-8") as file:
            self.assertEqual(file.read().split(), ["step,loss", "10,2.5", "20,2.25"])

    def test_a_refusal_of_lines_of_json_gives_a_pattern_that_reads_them_and_never_a_time(self):
        path = self.write("a.jsonl", "".join('{"tick": %d, "time": 0.5, "score": %g}\n' % (i, 9 - i / 20) for i in range(1, 60)))
        code, said = self.run_curves(path)
        pattern = re.search("--pattern '(.*?)' reads 59 records of this file;", said)
        self.assertEqual((code, bool(pattern)), (3, True), said)
        self.assertEqual(self.series(path, "--pattern", pattern.group(1))[1]["loss"][:2], [(1, 8.95), (2, 8.9)])

    def test_a_step_that_stays_while_the_loss_falls_leaves_no_green_verdict(self):
        def log(name, factor):
            return self.write(name, "".join("step 5 loss %.4f\n" % ((factor if i > 20 else 1) * (9 - i / 20)) for i in range(60)))
        code, said = self.run_curves(log("g.log", 1), log("t.log", 1.3))
        self.assertEqual((code, "59 records of a step again are lastingly apart" in said), (4, True), said)

    def test_json_behind_json_is_read_or_told(self):
        def log(name, factor):
            return self.write(name, "".join('{"step": %d, "loss": %g}' % (i, (factor if i > 9 else 1) * (9 - i / 20)) for i in range(60)))
        code, said = self.run_curves(log("g.json", 1), log("t.json", 1.3))
        self.assertEqual((code, "what follows it is not read" in said), (4, True), said)

    def test_a_counter_that_falls_and_does_not_rise_again_leaves_no_green_verdict(self):
        def log(name, factor):
            return self.write(name, "".join("step %d loss %g\n" % (step, factor * (9 - step / 20)) for step in range(1, 61)) + "".join(
                "step %d loss 7\n" % step for step in range(1, 11)))
        code, said = self.run_curves(log("g.log", 1), log("t.log", 2))
        self.assertEqual((code, "of 60 steps with a loss 10 are left" in said), (4, True), said)

    def test_a_run_that_was_started_again_is_what_counts(self):
        def log(name, factor):
            return self.write(name, "".join("step %d loss %g\n" % (step, 9 - step / 20) for step in range(1, 101)) + "".join(
                "step %d loss %g\n" % (step, factor * (9 - step / 20)) for step in range(1, 41)))
        for factor, told in ((1, 0), (2, 1)):
            code, said = self.run_curves(log("g.log", 1), log("t.log", factor))
            self.assertEqual((code, "did not rise again" in said and factor == 1), (told, False), said)

    def test_a_counter_of_each_epoch_that_no_line_names_leaves_no_green_verdict(self):
        def log(name):
            return self.write(name, "".join("step %d loss %g\n" % (i % 20 + 1, 9 - i / 20) for i in range(80)))
        code, said = self.run_curves(log("g.log"), log("t.log"))
        self.assertEqual((code, "of 80 steps with a loss 20 are left" in said), (4, True), said)

    def test_a_dict_that_nobody_can_read_among_others_leaves_no_green_verdict(self):
        def log(name, value):
            return self.write(name, "".join("{'step': %d, 'loss': %s, 'grad_norm': 1.5}\n" % (i, value if i == 30 else 9 - i / 20) for i in range(1, 61)))
        code, said = self.run_curves(log("g.log", 7.5), log("t.log", "<unreadable>"))
        self.assertEqual((code, "t.log:30: 1 step line holds no number" in said), (4, True), said)

    def test_a_line_of_names_and_numbers_is_no_header(self):
        for line in ('train_loss{step="%d"} %g\n', "0 %d loss - %g\n"):
            code, said = self.run_curves(self.write("a.log", "".join(line % (i, 9 - i / 20) for i in range(10, 30))))
            self.assertEqual((code, "comes closest" in said), (3, True), said)

    def test_processes_in_turn_that_are_apart_leave_no_green_verdict(self):
        def log(name, apart):
            return self.write(name, "".join("step %d loss %g\n" % (i % 2 + 2 * (i // 4), 9 - i // 4 / 20 + (apart if i % 4 > 1 else 0)) for i in range(160)))
        self.assertEqual(self.run_curves(log("g.log", 0), log("t.log", 0))[0], 0)
        code, said = self.run_curves(log("g.log", 1), log("t.log", 1))
        self.assertEqual((code, "80 records of a step again are lastingly apart" in said), (4, True), said)

    def test_a_loss_by_its_formula_is_judged_and_any_other_name_is_one_pattern_away(self):
        def log(name, form, factor):
            return self.write(name, "".join(form % (i, factor * (9 - i / 20)) for i in range(1, 60)))
        for word in ("objective", "nll", "ce", "train_ce", "mse", "cost"):
            form = "step %d " + word + ": %g\n"
            self.assertEqual([self.run_curves(log("g.log", form, 1), log("t.log", form, factor))[0] for factor in (1, 2)], [0, 1], word)
        for form in ("step %d ppl %g\n", "крок %d, втрата %g\n", "Bước %d, mất mát: %g\n", "βήμα %d: απώλεια %g\n"):
            paths = log("g.log", form, 1), log("t.log", form, 2)
            code, said = self.run_curves(*paths)
            pattern = re.search("--pattern '(.*?)' reads 59 records of this file;", said)
            self.assertEqual((code, bool(pattern)), (3, True), said)
            self.assertEqual(self.run_curves(*paths, "--pattern", pattern.group(1))[0], 1, said)

    def test_no_pattern_is_proposed_that_takes_a_rate_or_a_norm_for_the_loss(self):
        line = "[Ep]: [   0/350]  [ %d/1000]  eta: 0:59:10  tlr: 0.00100  tnm: 1.49  Lm: 8.026 (8.026)  time: 0.4899\n"
        code, said = self.run_curves(self.write("a.log", line % 1 + line % 2))
        self.assertEqual((code, "--pattern 'Lm: {loss}'" in said), (3, True), said)

    def test_numbers_beyond_those_that_are_read_of_a_line_are_told(self):
        path = self.write("a.log", "".join("step %d loss %g %s\n" % (i, 9 / i, " ".join("k%d=0.5" % k for k in range(300))) for i in range(1, 9)))
        self.assertIn("only the first 256 numbers of a line are read", self.run_curves(path)[1])

    def test_where_a_line_comes_from_is_no_series(self):
        for prefix in ("I0301 10:00:05.123456 140 train.py:70] ", 'time="2026-03-01T10:00:05Z" level=info pid=12 rank=3 ', "[rank0]:",
                       "03/01/2026 10:00:05 [INFO|DP=0|PP=1|TP=0|ip-26]: ", "(TaskRunner pid=12345) ", "\x1b[36m(Worker pid=12)\x1b[0m ", "2026-03-01T10:00:05.123Z stdout F ",
                       "ETA: 1:02:03 eta 0:10:52 "):
            path = self.write("a.log", "".join("%sstep: %d loss: %.2f grad_norm: 1.5\n" % (prefix, s, 9 - s / 10) for s in range(1, 9)))
            self.assertEqual(sorted(self.series(path)[1]), ["grad_norm", "loss"], prefix)

    def test_a_loss_of_another_name_is_judged_and_named(self):
        for name in ("train_loss_step", "total_loss", "reduced_train_loss", "step_loss", "epoch_loss", "xent", "train/box_loss"):
            good = self.write("a.csv", "step,%s\n" % name + "".join("%d,%g\n" % (i, 9 / i) for i in range(1, 41)))
            bad = self.write("b.csv", "step,%s\n" % name + "".join("%d,%g\n" % (i, 18 / i) for i in range(1, 41)))
            code, said = self.run_curves(good, bad)
            self.assertEqual(code, 1, said)
            self.assertIn("the loss (%s)" % name, said)

    def test_part_losses_are_each_judged(self):
        rows = lambda f: "epoch,train/box_loss,train/cls_loss,val/box_loss\n" + "".join("%d,%g,%g,9\n" % (i, 9 / i, f / i) for i in range(1, 41))
        code, said = self.run_curves(self.write("a.csv", rows(5)), self.write("b.csv", rows(10)))
        self.assertEqual(code, 1, said)
        self.assertIn("loss.cls_loss", said)


# A line of a dialect whose steps are printed, for step {0} and loss {1}.
LINES = {
    "Megatron": " iteration {0:8d}/      60 | consumed samples: 64 | learning rate: 6.0E-05 | lm loss: {1:.6E} | grad norm: 1.234 |",
    "MindFormers": "INFO - {{ Epoch:[  1/  1], step:[{0:5d}/   60], loss: {1:.3f}, per_step_time: 812ms, lr: 1e-05, global_norm: [1.2] }}",
    "DeepSpeed": "steps: {0} loss: {1:.4f} iter time (s): 0.812 samples/sec: 78.8",
    "torchtitan": "[rank0]: step: {0:2d}  loss: {1:8.5f}  grad_norm: 1.2  memory:  8.73GiB(18.38%)  tps: 7,282",
    "verl": "step:{0} - actor/pg_loss:{1:.4f} - actor/grad_norm:1.99 - actor/lr:1.0e-06",
    "nanoGPT": "iter {0}: loss {1:.4f}, time 251.25ms",
    "MMEngine": "Epoch(train)  [1][{0:3d}/60]  lr: 2.0e-02  eta: 0:00:00  loss: {1:.4f}",
    "bar": "Steps:  20%|##| {0}/60 [00:01<00:05, 13.47it/s, loss={1:.4f}]",
    "LossMonitor": "epoch: 1 step: {0}, loss is {1:.4f}",
    "JSON lines": '{{"current_steps": {0}, "loss": {1:.4f}, "lr": 1e-05, "epoch": 0.1}}',
    "CSV": "{0},{1:.4f},1.2",
}


def damages(lines):
    """Name, bytes and the places of the damaged lines."""
    def text(rows):
        return ("\n".join(rows) + "\n").encode()

    def swap(at, *rows):
        return text(lines[:at] + list(rows) + lines[at + 1:])
    a, b = lines[20], lines[21]
    for cut in (len(a) // 2, len(a) - 3):
        yield "cut", swap(20, a[:cut]), (20,)
        yield "run together", text(lines[:20] + [a[:cut] + b] + lines[22:]), (20, 21)
        yield "interleaved", text(lines[:20] + [a[:cut] + b[:cut], a[cut:] + b[cut:]] + lines[22:]), (20, 21)
    yield "doubled", swap(20, a, a), ()
    yield "zero bytes", text(lines[:20]) + bytes(50) + text(lines[20:]), (20,)
    yield "zero bytes within", text(lines).replace(a.encode(), a[:9].encode() + bytes(3) + a[9:].encode()), (20,)
    yield "a line of a megabyte", text(lines[:20] + [a + " x" * 600000] + lines[21:]), (20,)
    yield "carriage returns", ("\r\n".join(lines) + "\r\n").encode(), ()
    yield "UTF-16", text(lines).decode().encode("utf-16"), ()
    yield "no UTF-8", text(lines[:20]) + b"\xff\xfe\x80 loss \xc3\n" + text(lines[20:]), ()


    def test_an_event_is_known_by_its_words_in_any_order_and_a_setting_or_a_record_is_none(self):
        for line, kind in (("Gradient overflow -> step skipped", "skip"), ("Skipped optimizer step 3: Inf found in grads", "skip"),
                           ("检测到 NaN，跳过本次更新", "skip"), ("Loss became NaN, aborting the run", "abort"), ("rank 2: gradients contain NaNs", "nan"),
                           ("skip_nan_steps: True", None), ("No overflow, no step skipped", None), ("step 4 loss 2.5 skipped 0 nan 0", None)):
            with self.subTest(line):
                events = self.series(self.write("a.log", "step 1 loss 2.5\nstep 2 loss 2.25\n%s\nstep 9 loss 2.0\n" % line))[0][0]["events"]
                self.assertEqual([e["kind"] for e in events if e["kind"] != "restart"], [kind] if kind else [])

    def test_a_record_that_lacks_the_last_names_of_its_neighbours_is_read(self):
        rows = "".join("%d: loss=%s%s\n" % (i, 9 - i / 8, "" if i == 13 else ", gn=1.5") for i in range(1, 31))
        self.assertEqual(self.series(self.write("a.log", rows))[1]["loss"], [(i, 9 - i / 8) for i in range(1, 31)])


class Malformed(Case):
    def test_a_malformed_line_costs_itself_and_no_other(self):
        for dialect, form in LINES.items():
            head = ["step,loss,grad_norm"] if dialect == "CSV" else []
            for damage, data, places in damages([form.format(s, 9 - s / 20) for s in range(1, 61)]):
                with self.subTest(dialect + ", " + damage):
                    if head:
                        data = (head[0] + "\n").encode("utf-16") + data[2:] if damage == "UTF-16" else (head[0] + "\n").encode() + data
                    path = self.write("a.log", data)
                    code, said = self.run_curves(path)
                    self.assertIn(code, (0, 4), said)
                    with open(os.path.join(self.out, "curves.csv"), encoding="utf-8", newline="") as f:
                        rows = list(csv.reader(f))
                    at = rows[0].index(next(name for name in rows[0] if name.endswith("loss")))
                    got = {int(row[0]): float(row[at]) for row in rows[1:] if row[at]}
                    want = {s: round(9 - s / 20, 4) for s in range(1, 61) if s - 1 not in places}
                    self.assertEqual({s: got.get(s) for s in want}, want)


class Ways(Case):
    LOG = "up\n<<1>> obj=10.5 g|8.5| eta=1e-4\n<<2>> obj=9.5 g|7.5| eta=2e-4\n"
    PATTERN = "<<{step}>> obj={loss} g|{grad_norm}| eta={lr}"

    def test_a_pattern_reads_an_unknown_form(self):
        path = self.write("a.log", self.LOG)
        _, found = self.series(path, "--pattern", self.PATTERN)
        self.assertEqual(found, {"loss": [(1, 10.5), (2, 9.5)], "grad_norm": [(1, 8.5), (2, 7.5)], "lr": [(1, 1e-4), (2, 2e-4)]})
        for pattern, code in (("x={value}", 2), ("loss={loss", 2), ("none {step} of {loss}", 3)):
            got, said = self.run_curves(path, "--pattern", pattern)
            self.assertEqual(got, code, said)
            self.assertIn("--pattern", said)

    def test_a_refusal_shows_the_closest_line_and_the_option(self):
        code, said = self.run_curves(self.write("a.log", self.LOG))
        self.assertEqual(code, 3)
        self.assertIn("a.log:2: no training record; this line comes closest: <<1>> obj=10.5 g|8.5| eta=1e-4", said)
        self.assertIn("--pattern", said)

    def test_a_norm_without_a_loss_may_be_any(self):
        self.assertEqual(self.series(self.write("a.csv", "step,norm,max\n1,1.5,2\n2,1.25,3\n"))[1],
                         {"norm": [(1, 1.5), (2, 1.25)], "max": [(1, 2), (2, 3)]})

    def test_a_line_of_words_and_numbers_by_turns_is_no_header(self):
        self.assertEqual(self.series(self.write("a.log", "batch 1 loss 2.5\nbatch 2 loss 2.25\n"))[1], {"loss": [(1, 2.5), (2, 2.25)]})

    def test_the_option_that_a_refusal_proposes_reads_the_log(self):
        path = self.write("a.log", "2026-08-01 09:13:00,123 " + self.LOG.replace("\n", "\n2026-08-01 09:13:00,123 ") + "\n")
        said = self.run_curves(path)[1]
        pattern = said.split("--pattern '")[1].split("'")[0]
        self.assertEqual(pattern, "<<{step}>> obj={loss}")
        self.assertEqual(self.series(path, "--pattern", pattern)[1], {"loss": [(1, 10.5), (2, 9.5)]})

    def test_the_pattern_that_is_proposed_takes_the_number_that_is_called_a_loss(self):
        for line, pattern in (("[%d]\ttrain-auc:%g\teval-auc:0.5\n", "[{step}] train-auc:{loss}"),
                              ("[ %d- 9, 2.50%%]: Entropy = %g * 640\n", "[ {step}- {x1}, {x2}%]: Entropy = {loss}"),
                              ("Run [%d]\tTime 0.5\tCost/tok %g\n", "[{step}] Time {x1} Cost/tok {loss}")):
            path = self.write("a.log", "".join(line % (x, v) for x, v in ((1, 2.5), (2, 2.25))))
            said = self.run_curves(path)[1]
            self.assertIn("--pattern '%s'" % pattern, said)
            self.assertEqual(self.series(path, "--pattern", pattern)[1]["loss"], [(1, 2.5), (2, 2.25)])
        path = self.write("a.log", "".join("[%d/3][%d/500] errD: %.2f errG: 8.5 D_x: 0.5\n" % (e, k, 9 - e - k / 500) for e in (1, 2) for k in range(0, 500, 50)))
        pattern = "[{epoch}/{max}][{iter}/{total}] errD: {loss}"
        self.assertIn("--pattern '%s' reads 20 records" % pattern, self.run_curves(path)[1])
        self.assertEqual([x for x, _ in self.series(path, "--pattern", pattern)[1]["loss"]], list(range(0, 1000, 50)))

    def test_patterns_stand_in_a_file_and_a_wrong_one_is_named_with_its_line(self):
        path = self.write("a.log", self.LOG)
        forms = self.write("own.patterns", "# our trainer\n\n%s\r\nval {step}: {eval_loss}\n" % self.PATTERN)
        self.assertEqual(self.series(path, "--patterns", forms)[1]["grad_norm"], [(1, 8.5), (2, 7.5)])
        for text, line in (("# none\n", ""), ("{loss}\n\nx={value}\n", ":3"), ("{loss\n", ":1")):
            code, said = self.run_curves(path, "--patterns", self.write("wrong.patterns", text))
            self.assertEqual(code, 3, said)
            self.assertIn("wrong.patterns%s: " % line, said)
        self.assertEqual(self.run_curves(path, "--patterns", os.path.join(self.folder, "none"))[0], 3)

    def test_forms_of_the_user_s_folder_read_a_log_that_they_fit_and_no_other(self):
        path = self.write("a.log", self.LOG)
        known = self.write("b.log", "step: 1 loss: 9.5\nstep: 2 loss: 8.5\n")
        banner = self.write("c.log", self.LOG.strip().split("\n")[-1] + "\n" + "step: 1 loss: 9.5\nstep: 2 loss: 8.5\n")
        self.write("home/.config/vernier/own.patterns", self.PATTERN + "\n")
        self.write("home/.config/vernier/wrong.patterns", "{loss\n")
        self.write("home/.config/vernier/other.txt", "step {loss}\n")
        for place in ({"XDG_CONFIG_HOME": "", "HOME": os.path.join(self.folder, "home")},
                      {"XDG_CONFIG_HOME": os.path.join(self.folder, "home/.config"), "HOME": "/none"}):
            done = subprocess.run([VERNIER, "curves", path], env={**os.environ, **place}, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE)
            said = done.stderr.decode()
            self.assertEqual(done.returncode, 0, said)
            self.assertRegex(said, "note: .*own.patterns, which fit its lines")
            self.assertIn("wrong.patterns:1: ", said)
            said = subprocess.run([VERNIER, "curves", known], env={**os.environ, **place}, stderr=subprocess.PIPE).stderr.decode()
            self.assertNotIn("which fit its lines", said)
            said = subprocess.run([VERNIER, "curves", banner], env={**os.environ, **place}, stderr=subprocess.PIPE).stderr.decode()
            self.assertNotIn("which fit its lines", said)  # one line that fits makes no dialect of a known log
            self.assertEqual(subprocess.run([VERNIER, "advise", "skip", path, "-q"], env={**os.environ, **place}, stderr=subprocess.PIPE).returncode, 0)
        advice = subprocess.run([VERNIER, "advise", "skip", path, "--pattern", self.PATTERN], stderr=subprocess.PIPE)
        self.assertEqual(advice.returncode, 0, advice.stderr)

    def test_columns_by_number_and_by_name(self):
        path = self.write("a.csv", "objective,update\n9.5,99\n8.5,199\n")
        for columns in ("step=2,loss=1", "step=update,loss=objective"):
            self.assertEqual(self.series(path, "--columns", columns)[1], {"loss": [(99, 9.5), (199, 8.5)]})
        self.assertEqual(self.series(path, "--columns", "loss=1")[1], {"loss": [(1, 9.5), (2, 8.5)]})
        for columns in ("step=9,loss=1", "loss=none"):
            self.assertEqual(self.run_curves(path, "--columns", columns)[0], 3)

    def test_the_user_chooses_the_loss(self):
        path = self.write("a.csv", "step,loss,value_loss\n1,9,2.5\n2,8,1.5\n")
        runs, found = self.series(path, "--loss", "value_loss")
        self.assertEqual((found["loss"], runs[0]["loss_name"]), ([(1, 2.5), (2, 1.5)], "value_loss"))
        code, said = self.run_curves(path, "--loss", "none")
        self.assertEqual(code, 3)
        self.assertIn("value_loss", said)

    def test_of_lists_that_no_name_says_are_a_loss_the_user_takes_one(self):
        path = self.write("results.json", json.dumps({"train": {"rmse": [3, 2, 1]}, "eval": {"rmse": [4, 3, 2]}}))
        code, said = self.run_curves(path)
        self.assertEqual((3, True), (code, "--loss NAME, of 'train/rmse', 'eval/rmse'" in said), said)
        _, series = self.series(path, "--loss", "train/rmse")
        self.assertEqual([(1, 3), (2, 2), (3, 1)], series["loss"], series)
        self.assertEqual([(1, 4), (2, 3), (3, 2)], series["eval/rmse"], series)

    def test_a_loss_that_is_no_number_in_a_list_or_an_object_is_found(self):
        for form in ('{"step": %d, "metrics": [{"name": "loss", "value": %s}]}\n', '{"step": %d, "Loss/loss": {"mean": %s, "num": 3}}\n'):
            text = "".join(form % (step, '"NaN"' if step == 3 else "2.5") for step in range(1, 9))
            code, said = self.run_curves(self.write("run.jsonl", text))
            self.assertEqual((0, True), (code, "NaN       at step 3" in said), said)

    def test_steps_near_the_largest_number_do_not_add_up_beyond_it(self):
        table = "epoch,step,loss\n" + "".join("%d,%d,%g\n" % (i // 2 + 1, i % 2 * 8 * 10 ** 15, 2 + i % 7) for i in range(3000))
        bars = "{'loss': 2.5}\n 50%|#    | 9000000000000000000/9100000000000000000 [00:01<00:05, 1it/s]\n" + "{'loss': 2.4}\n" * 3
        for name, text in (("a.csv", table), ("a.log", bars)):
            code, said = self.run_curves(self.write(name, text))
            self.assertIn(code, (0, 4), said)

    def test_standard_input_and_gzip(self):
        text = b"step: 1 loss: 9.5\nstep: 2 loss: 8.5\n"
        packed = gzip.compress(text, mtime=0)
        points = {"loss": [(1, 9.5), (2, 8.5)]}
        self.assertEqual(self.series("-", stdin=text)[1], points)
        self.assertEqual(self.series("-", stdin=packed)[1], points)
        self.assertEqual(self.series(self.write("a.log.gz", packed))[1], points)
        long = b"".join(b"step: %d loss: %g\n" % (i, 9 / (i + 1)) for i in range(20000))
        cut = gzip.compress(long, mtime=0)
        self.assertEqual(self.run_curves(self.write("cut.log.gz", cut[:len(cut) // 2]))[0], 4)

    def test_tables_that_are_no_curves_are_refused(self):
        code, said = self.run_curves(self.write("a.csv", '"Name","State","Created","batch","learning_rate","loss"\n"r1","ok","x","8","0.1","1.5"\n"r2","ok","x","8","0.1","1.5"\n'))
        self.assertEqual(code, 3)
        self.assertIn("one row is one run", said)
        code, said = self.run_curves(self.write("b.csv", "Name A,Type,Cosine\nadd.0,float,0.5\nadd.1,float,0.25\nadd.2,float,0.125\n"))
        self.assertEqual(code, 3, said)

    def test_columns_without_a_name_are_not_guessed(self):
        path = self.write("a.csv", "1,9.5,0.1\n2,8.5,0.2\n")
        self.assertEqual(sorted(self.series(path)[1]), ["column_3", "loss"])
        self.assertIn("no header", self.run_curves(path)[1])


class Folders(Case):
    LOG = "".join("step: %d loss: %g\n" % (i, 9 / i) for i in range(1, 61))

    def test_texts_configurations_and_own_reports_are_no_logs(self):
        path = self.write("d/train.log", self.LOG)
        for name in ("README.md", "config.json", "tokenizer.json", "picture.png", "train.yaml"):
            self.write("d/" + name, "step: 1 loss: 5.0\n")
        subprocess.run([VERNIER, "curves", path, "-o", os.path.join(self.folder, "d/report"), "-q"], check=True)
        runs, found = self.series(os.path.join(self.folder, "d"))
        self.assertEqual((len(runs), len(found["loss"]), found["loss"][0]), (1, 60, (1, 9.0)))

    def test_a_remark_erases_nothing_and_whole_logs_are_runs(self):
        self.write("d/train.log", self.LOG)
        self.write("d/z.txt", "at step 1 we saw loss 5.0\n")
        self.assertEqual(self.series(os.path.join(self.folder, "d"))[1]["loss"][0], (1, 9.0))
        self.write("e/a.log", self.LOG)
        self.write("e/b.log", self.LOG.replace("loss: ", "loss: 1"))
        runs, _ = self.series(os.path.join(self.folder, "e"))
        self.assertEqual([r["name"] for r in runs], ["a", "b"])
        self.assertIn("vernier curves %s/e/a.log %s/e/b.log" % (self.folder, self.folder), self.run_curves(os.path.join(self.folder, "e"))[1])

    def test_the_folders_of_torchrun_are_ranks_and_not_restarts(self):
        for run in ("g", "t"):
            for rank in range(4):
                rows = ["step: %d loss: %.3f\n" % (i, 9 / i + (i * 7 + rank * 3) % 5 / 1000) for i in range(1, 61)]
                if (run, rank) == ("t", 2):
                    rows[30:] = ["step: %d loss: nan\n" % i for i in range(31, 61)]
                self.write("%s/none_%s/attempt_0/%d/stdout.log" % (run, run, rank), "".join(rows))
        golden, target = (os.path.join(self.folder, run) for run in "gt")
        self.assertEqual(self.run_curves(golden, golden)[0], 0)
        code, said = self.run_curves(golden, target)
        self.assertEqual((code, "NaN or Inf" in said, "written again" in said), (1, True, False), said)

    def test_logs_of_the_processes_of_a_job_are_ranks_of_one_run(self):
        def job(folder, names):
            for rank, name in enumerate(names):
                self.write("%s/%s.out" % (folder, name),
                           "".join("step: %d loss: %.3f\n" % (i, 9 / i + (i * 7 + rank * 3) % 5 / 1000) for i in range(1, 61)))
            return os.path.join(self.folder, folder)
        golden, target = (job(run, ["train-%d-%d" % (number, rank) for rank in range(4)]) for run, number in (("g", 3201), ("t", 1926)))
        code, said = self.run_curves(golden, target)
        self.assertEqual((code, "the processes of one run" in said), (0, True), said)
        self.assertEqual(len(self.series(golden)[0]), 1)
        for folder, names in (("sweep", ["lr-10-%d" % i for i in range(4)]), ("from1", ["train-3201-%d" % i for i in range(1, 5)])):
            self.assertEqual(len(self.series(job(folder, names))[0]), 4)

    def test_files_that_are_called_after_their_phase_are_training_and_its_evaluation(self):
        def table(run, name, offset):
            self.write(run + name, "iter\tRMSE\n" + "".join("%d\t%g\n" % (i, 9 / (i + 1) + offset) for i in range(60)))

        for training, evaluation in (("learn_error.tsv", "test_error.tsv"), ("train.tsv", "val.tsv"), ("train/1.tsv", "validation/1.tsv")):
            for run, apart in (("g/", 0), ("t/", 0), ("d/", 2)):
                table(run, training, apart)
                table(run, evaluation, 0.5)
            golden, same, other = (os.path.join(self.folder, run) for run in ("g", "t", "d"))
            found = self.series(golden)[1]
            self.assertEqual([found[name][0] for name in ("loss", "eval_loss")], [(0, 9), (0, 9.5)], training)
            code, said = self.run_curves(golden, same)
            self.assertEqual((code, "SAME " in said, "(RMSE)" in said), (0, True, True), said)
            code, said = self.run_curves(golden, other)
            self.assertEqual((code, "OUTSIDE" in said or "DIVERGES" in said), (1, True), said)
            for run in (golden, same, other):
                shutil.rmtree(run)

    def test_event_files_in_the_folder_of_an_evaluation_are_of_the_run_above_or_beside(self):
        for training, evaluation in (("train/", "validation/"), ("", "eval/")):
            for run in ("g/", "t/"):
                for phase, offset in ((training, 0), (evaluation, 0.5)):
                    table = self.write("table.csv", "step,loss\n" + "".join("%d,%g\n" % (i, 9 / (i + 1) + offset) for i in range(60)))
                    out = os.path.join(self.folder, run + phase)
                    subprocess.run([VERNIER, "convert", table, "-q", "-o", out], check=True)
            golden, same = (os.path.join(self.folder, run) for run in ("g", "t"))
            code, said = self.run_curves(golden, same)
            self.assertEqual((code, "SAME " in said), (0, True), said)
            self.assertEqual(self.series(golden)[1]["eval_loss"][0], (0, 9.5))
            for run in (golden, same):
                shutil.rmtree(run)

    def test_metrics_of_a_tracker_are_a_run(self):
        for run in ("7c", "8d"):
            self.write("m/0/%s/meta.yaml" % run, "x: 1\n")
            self.write("m/0/%s/params/lr" % run, "0.1")
            self.write("m/0/%s/metrics/loss" % run, "1700000000000 2.5 0\n1700000060000 2.0 10\n")
            self.write("m/0/%s/metrics/eval/f1" % run, "1700000000000 0.5 0\n1700000060000 0.6 10\n")
        runs, found = self.series(os.path.join(self.folder, "m/0/7c"))
        self.assertEqual(found, {"loss": [(0, 2.5), (10, 2)], "eval/f1": [(0, 0.5), (10, 0.6)]})
        self.assertEqual(len(self.series(os.path.join(self.folder, "m"))[0]), 2)


def broken(text, columns, keeps_blanks=True):
    """As a terminal of so many columns shows it, copied line by line."""
    lines = []
    for line in text.split("\n"):
        shown, width = "", 0
        for char in re.findall("\x1b\\[[0-9]*m|.", line):
            size = 0 if char[0] == "\x1b" else 2 if unicodedata.east_asian_width(char) in "WF" else 1
            if width + size > columns:
                lines.append(shown if keeps_blanks else shown.rstrip(" "))
                shown, width = "", 0
            shown += char
            width += size
        lines.append(shown)
    return "\n".join(lines)


def long_records(form, steps=40, seed=1):
    """Lines that no terminal shows on one line, in a form that some trainer prints."""
    draw = random.Random(seed)

    def record(step):
        loss, norm, rate = 9 - step / 20 + draw.random() / 100, draw.random() * 3, draw.random() / 1e5
        if form == "verl":
            others = " - ".join("critic/part_%d/metric_%s:%s" % (i, "abc" * (i % 4), round(draw.random() * 10 ** (i % 4), 3 if i % 5 else 16))
                                for i in range(20))
            return "(TaskRunner pid=4711) step:%d - actor/pg_loss:%s - actor/grad_norm:%s - timing_s/step:%s - %s" % (
                step, loss, norm, draw.random() * 50, others)
        if form == "dict":
            return "{'loss': %.4f, 'grad_norm': %s, 'learning_rate': %s, 'step': %d}" % (loss, norm, rate, step)
        if form == "JSON":
            return json.dumps({"step": step, "loss": loss, "grad_norm": norm, "lr": rate, "note": "words of the run"})
        if form == "Chinese":
            return "[2025-01-01 10:00:%02d] 训练进度正常 [%s] 第%d步 step: %d, loss: %s, grad_norm: %s, 学习率 lr: %s, 样本数: %d, 显存占用: %s" % (
                step % 60, "华为昇腾" * (step % 3), step, step, loss, norm, rate, step * 512, draw.random() * 60)
        if form == "colours":
            return "\x1b[32m[rank0]\x1b[0m step: %2d  \x1b[33mloss: %s\x1b[0m  grad_norm: %s  lr: %s  memory: %.2fGiB  tps: %d" % (
                step, loss, norm, rate, draw.random() * 60, draw.random() * 9000)
        return (" [2025-01-01 10:00:%02d] iteration %8d/%8d | consumed samples: %12d | elapsed time per iteration (ms): %.1f | "
                "learning rate: %.6E | lm loss: %.6E | loss scale: 1.0 | grad norm: %.3f | number of skipped iterations: %3d |" % (
                    step % 60, step, steps, step * 16, 1000 + draw.random() * 100, rate, loss, norm, 0))

    head = "loading the model\nusing 8 processes\n\n" + "".join("  option_%d ........ %d\n" % (i, i * 7) for i in range(30))
    return head + "".join(record(step) + "\n" for step in range(1, steps + 1)) + "done\n"


class Broken(Case):
    """Lines that a terminal broke where its columns end."""
    JOINED = "broke at %d columns are joined again"

    def converted(self, text):
        out = os.path.join(self.folder, "c.csv")
        done = subprocess.run([VERNIER, "convert", self.write("c.log", text), "-o", out],
                              env=dict(os.environ, LC_ALL="C"), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        with open(out, encoding="utf-8") as file:
            return file.read(), done.stderr.decode()

    def test_lines_of_equal_length_that_end_with_numbers_are_not_joined(self):
        values = random.Random(1)
        for below in ("%d samples seen so far\n" % 10 ** 3, None):
            lines = ["step %06d loss %.6f grad_norm 1.500000 lr 1.0e-04 tokens %8d\n%s" %
                     (i, 9 - i / 200, values.choice((9, 120, 10240)) * i, below or "%.2f %.1f\n" % (values.choice((1.5, 22.25, 333.1)), 2.5))
                     for i in range(1, 200)]
            self.assertNotIn("joined again", self.run_curves(self.write("a.log", "".join(lines)))[1])

    def test_lines_that_a_terminal_broke_are_joined_again(self):
        for form in ("verl", "dict", "JSON", "Chinese", "colours", "Megatron"):
            text = long_records(form)
            whole, said = self.converted(text)
            self.assertNotIn("joined", said)
            for columns, keeps_blanks in ((80, True), (80, form == "Megatron"), (100, True), (120, True), (120, False)):
                if form in ("dict", "JSON", "colours") and columns > 100 - 20 * (form == "colours"):
                    continue  # it fits, or what is cut off is too little to tell
                with self.subTest(form, columns=columns, keeps_blanks=keeps_blanks):
                    joined, said = self.converted(broken(text, columns, keeps_blanks))
                    self.assertEqual(joined, whole)
                    self.assertIn(self.JOINED % columns, said)

    def test_lines_of_one_length_are_never_joined(self):
        draw = random.Random(2)
        records = long_records("Megatron").split("\n")
        below = {
            "nothing": lambda step: "",
            "a memory line": lambda step: "rank 0 memory (MB) | allocated: %.1f | reserved: %d\n" % (draw.random() * 9000, step * 7),
            "a bar": lambda step: "%dit [00:%02d, %.2fit/s]\n" % (10 ** (step % 4) * step, step, draw.random()),
            "a date": lambda step: "2025-01-01 10:00:%02d saving\n" % (step % 60),
            "a sentence": lambda step: " ".join(draw.choice(("a", "model", "learns", "what", "1", "it", "reads")) for _ in range(5)) + "\n",
            "a box": lambda step: "".join("| %-12s | %-57.4f |\n" % ("value/%d" % i, draw.random()) for i in range(5)) + "-" * 76 + "\n",
            "its own kind": lambda step: "validation of iteration %8d" % step + " " * 300 + "|\n",
        }
        padded = ["step %5d loss %.5f grad_norm %.5f throughput %.2f tokens %8d" % (i, 9 - i / 20, draw.random(), 10 + draw.random(), i * 512)
                  for i in range(1, 41)]
        for name, follows in below.items():
            for lines in (records, padded):
                with self.subTest(name, line=lines[-1]):
                    text = "".join(line + "\n" + (follows(i) if "loss" in line else "") for i, line in enumerate(lines, 1))
                    got, said = self.converted(text)
                    self.assertNotIn("joined", said)
                    self.assertEqual(len(re.findall(r"(?m)^[0-9]+,[^,\n]", got)), 40)

    def test_runs_that_terminals_broke_at_other_columns_are_compared_by_whole_numbers(self):
        whole = long_records("verl")
        other = re.sub("pg_loss:([0-9.]+)", lambda found: "pg_loss:%s" % (float(found[1]) * 1.1), whole)
        for golden, target in ((whole, broken(whole, 120)), (broken(whole, 80), broken(whole, 120, False)), (broken(whole, 80), whole)):
            code, said = self.run_curves(self.write("g", golden), self.write("t", target))
            self.assertEqual((code, "SAME" in said, "differ" in said), (0, True, False), said)
        code, said = self.run_curves(self.write("g", broken(whole, 80)), self.write("t", broken(other, 120)))
        self.assertEqual((code, self.JOINED % 80 in said, self.JOINED % 120 in said), (1, True, True), said)

    def test_a_joined_line_keeps_its_number_and_an_unfinished_one_is_left_out(self):
        text = broken(long_records("verl"), 80)
        begin = text.index("step:30 ")
        _, said = self.converted(text[:begin + 300])
        self.assertIn("c.log:%d: the last line has no end" % (text[:begin].count("\n") + 1), said)


class Truth(Case):
    def log(self, name, text):
        return self.write(name, "step,loss\n" + text)

    def test_what_was_not_compared_is_partial(self):
        whole = "".join("%d,%g\n" % (i, 9 / i) for i in range(1, 401))
        golden = self.log("g.csv", whole)
        early = self.log("t.csv", "".join(whole.splitlines(True)[:100]))
        code, said = self.run_curves(golden, early)
        self.assertEqual(code, 4, said)
        self.assertIn("100 of 400 steps", said)
        blank = self.log("b.csv", "".join("%d,%s\n" % (i, "%g" % (9 / i) if i <= 10 else "") for i in range(1, 401)))
        self.assertEqual(self.run_curves(golden, blank)[0], 4)
        lost = self.log("n.csv", "".join("%d,%s\n" % (i, "%g" % (9 / i) if i <= 200 else "nan") for i in range(1, 401)))
        code, said = self.run_curves(lost, lost)
        self.assertEqual(code, 4, said)
        self.assertIn("NaN on both sides at 200 steps, first at step 201", said)

    def test_an_object_that_holds_records_hides_none(self):
        lines = ["step %d loss %.4f\n" % (i, 9 / i + (5 if 100 < i <= 150 else 0)) for i in range(1, 401)]
        golden = self.write("g.log", "".join("step %d loss %.4f\n" % (i, 9 / i) for i in range(1, 401)))
        for number, (begin, end) in enumerate((("{\n  \"lr\": 1e-4,\n", "  \"beta\": 0.9\n}\n"), ("{'config': {'a': 1,\n", "}}\n"),
                                               ("{'lr': 1,\n", " 'step_loss': 2}\n"))):
            target = self.write("t%d.log" % number, "".join(lines[:100]) + begin + "".join(lines[100:150]) + end + "".join(lines[150:]))
            code, said = self.run_curves(golden, target)
            self.assertEqual(code, 1, said)
            self.assertIn("from step 101", said)
        records = ["{'loss': %.4f, 'step': %d}\n" % (9 / i + (5 if i > 40 else 0), i) for i in range(1, 61)]
        wrapped = self.write("w.log", "".join(records[:40]) + "{'config': {'a': 1,\n" + "".join(records[40:]) + "}}\n")
        self.assertIn("from step 41", self.run_curves(golden, wrapped)[1])

    def test_a_stray_line_with_a_step_hides_no_epochs(self):
        epochs = "".join("Epoch %d/20: loss: %.3f lr: 0.01\n" % (i, 9 - i / 8) for i in range(1, 21))
        points = [(i, round(9 - i / 8, 3)) for i in range(1, 21)]
        for stray in ("Resuming from checkpoint: step 0, loss 9.99\n", "Namespace(batch_size=8, iterations=500, lr=0.1, seed=1)\n",
                      "INFO config: steps=1000 lr=0.1\n", "StepLR(step: 30) lr: 0.1\n", "".join("warmup: step %d loss 9.9\n" % i for i in range(5)),
                      "| iterations | 500 |\n| learning_rate | 0.01 |\n"):
            for text in (stray + epochs, "Epoch 1/20: loss: 8.875 lr: 0.01\n" + stray + epochs.split("\n", 1)[1], epochs + stray):
                with self.subTest(stray):
                    path = self.write("a.log", text)
                    self.assertEqual(self.series(path)[1]["loss"], points)
                    if "loss" in stray:
                        lines = stray.count("\n")
                        self.assertIn("%d line%s with a step" % (lines, "s" * (lines > 1)), self.run_curves(path)[1])

    def test_a_stray_line_with_a_step_hides_no_lines_without_one(self):
        lines = ["loss: %.3f lr: 0.01\n" % (9 - i / 8) for i in range(1, 21)]
        points = [(i, round(9 - i / 8, 3)) for i in range(1, 21)]
        for stray, told in (("step 500 loss 4.25 restored\n", "1 line with a step is left out next to lines without one"),
                            ("Saving checkpoint: step=10, loss=8.5\n", "1 line with a step is left out next to lines without one"),
                            ("Saving checkpoint: step=10\n", ""), ("Resuming training from checkpoint step: 500\n", ""),
                            ("eval at step 10: loss 8.5\neval at step 12: loss 8.25\n", "2 lines with a step are left out next to lines without one")):
            for place in (0, 10, 20):
                with self.subTest(stray, place=place):
                    path = self.write("a.log", "".join(lines[:place]) + stray + "".join(lines[place:]))
                    self.assertEqual(self.series(path)[1]["loss"], points)
                    said = self.run_curves(path)[1]
                    self.assertIn("the records carry no step", said)
                    self.assertIn(told, said)
        steps = "".join("step %d loss %.3f\n" % (i, 9 - i / 8) + "micro loss: 7.5\n" * 16 for i in range(1, 21))
        self.assertEqual(self.series(self.write("a.log", "micro loss: 7.5\n" * 16 + steps))[1]["loss"], points)

    def test_words_above_numbers_are_a_table_only_where_they_stand_as_one(self):
        lines = "".join("step: %d loss: %.3f\n" % (i, 9 - i / 8) for i in range(1, 21))
        points = [(i, round(9 - i / 8, 3)) for i in range(1, 21)]
        numbers = "50 1 2\n3 60 4\n5 6 70\n"
        for text in ("Epoch Loss LR\n" + numbers + lines, "Epoch\tLoss\tLR\n" + lines + numbers.replace(" ", "\t"), lines + "loss step\n4096 11008\n",
                     "We log the training loss at every step\n" + "1 2 3 4 5 6 7 8\n" * 3 + lines, "step  loss\nstart\n50 1\n" + lines,
                     "| iterations | 500 |\n| learning_rate | 0.001 |\n| batch_size | 8 |\n" + lines):
            with self.subTest(text):
                _, found = self.series(self.write("a.log", text))
                self.assertEqual(found, {"loss": points})
        for head in ("step loss lr\n---- ---- --\n%s", "step  loss  lr\n%sdone\n3 9 9\n", "step\tloss\tlr\n%sdone\n3\t9\t9\n"):
            with self.subTest(head):
                rows = "1 2.5 0.5\n2 2.25 0.5\n".replace(" ", "\t" if "\t" in head else " ")
                self.assertEqual(self.series(self.write("a.log", "up\n" + head % rows))[1]["loss"], [(1, 2.5), (2, 2.25)])

    def test_boxes_without_a_loss_are_training_where_their_names_come_again(self):
        box = "---\n| total_timesteps | %d |\n| grad_norm | %s |\n---\n"
        _, found = self.series(self.write("a.log", "".join(box % row for row in ((10, 9), (20, 2.5), (30, 2.25)))))
        self.assertEqual(found["grad_norm"], [(20, 2.5), (30, 2.25)])

    def test_a_lone_evaluation_that_says_of_how_many_is_a_result(self):
        for form, step in (("[eval] step: %d/40 loss: 4.%d", "step: %d loss: %.2f\n"), ("Test: Iter %d/100 loss: 4.%d", "Iter %d/40 loss: %.2f\n")):
            text = "".join(step % (i, 9 - i / 8) + (form % (i, i // 10) + "\n") * (i % 10 == 0) for i in range(1, 41))
            _, found = self.series(self.write("a.log", text))
            self.assertEqual(found["eval_loss"], [(10, 4.1), (20, 4.2), (30, 4.3), (40, 4.4)])
            self.assertEqual(len(found["loss"]), 40)

    def test_means_of_epochs_beside_steps_are_told_and_no_evaluation(self):
        path = self.write("a.log", "".join("step: %d loss: %.2f\n%s" % (i, 9 - i / 8, "Epoch %d loss: 5.5 val_loss: 4.5\n" % (i // 5) * (i % 5 == 0))
                                           for i in range(1, 21)))
        _, found = self.series(path)
        self.assertEqual(found["loss"], [(i, round(9 - i / 8, 2)) for i in range(1, 21)])
        self.assertEqual(found["eval_loss"], [(i, 4.5) for i in (5, 10, 15, 20)])
        self.assertIn("4 lines with an epoch and no step", self.run_curves(path)[1])

    def test_an_offset_begins_where_the_runs_are_no_longer_equal(self):
        for count, equal in ((120, 5), (120, 30), (120, 60), (120, 80), (200, 30), (200, 60), (400, 100), (1000, 60)):
            golden = self.log("g.csv", "".join("%d,%.4f\n" % (i, 5 / i + 1) for i in range(1, count + 1)))
            target = self.log("t.csv", "".join("%d,%.4f\n" % (i, 5 / i + 1 + 0.5 * (i > equal)) for i in range(1, count + 1)))
            code, said = self.run_curves(golden, target)
            self.assertEqual(code, 1, said)
            self.assertIn("tolerance from step %d:" % (equal + 1), said)

    def test_later_tables_of_steps_in_markdown_are_told(self):
        def table(steps, offset=0, head="| Step | Loss |"):
            return head + "\n|---:|---|\n" + "".join("| %d | %.4f |\n" % (i, 5 / i + 1 + offset) for i in steps) + "\n# Next\n\n"
        golden = self.write("g.md", table(range(1, 61)))
        whole = self.write("w.md", table(range(1, 31)) + table(range(31, 61)))
        self.assertIn("only the first table", self.run_curves(golden, whole)[1])
        for rest in (table(range(31, 61), 1), table(range(1, 61), 1), table(range(31, 61), 0, "| Step | Other loss |")):
            code, said = self.run_curves(golden, self.write("t.md", table(range(1, 31)) + rest))
            self.assertIn(code, (1, 4), said)
            self.assertIn("t.md:36: only the first table", said)

    def test_steps_of_tables_may_part_their_thousands(self):
        def rows(row, offset):
            return "".join(row % (format(100 * i, ","), 5 / i + 1 + offset * (i > 30)) for i in range(1, 61))
        for name, head, row in (("%s.md", "| Step | Loss |\n|---|---|\n", "| %s | %.4f |\n"), ("%s.csv", "step,loss\n", '"%s",%.4f\n'),
                                ("%s.tsv", "step\tloss\n", "%s\t%.4f\n")):
            golden, target = (self.write(name % k, head + rows(row, k)) for k in (0, 1))
            self.assertEqual(self.series(golden)[1]["loss"][59][0], 6000)
            code, said = self.run_curves(golden, target)
            self.assertEqual(code, 1, said)
            self.assertIn("from step 3,100:", said)
        found = self.series(self.write("d.tsv", "step\tloss\n" + "".join("%d\t2,%03d\n" % (i, i) for i in range(1, 9))))[1]
        self.assertEqual(found["loss"][0], (1, 2.001))
        found = self.series(self.write("p.csv", 'step,loss,Perplexity\n"1,000",2.5,"105,000.5"\n"2,000",2.25,"95,000"\n'))[1]
        self.assertEqual(found["Perplexity"], [(1000, 105000.5), (2000, 95000)])

    def test_no_log_is_no_damage(self):
        rows = "".join("| %d | %g | %s |\n" % (i, 9 / i, "No log" if i % 3 else "2.5") for i in range(1, 61))
        card = self.write("a.md", "| Step | Training Loss | Validation Loss |\n|---|---|---|\n" + rows)
        code, said = self.run_curves(card, card)
        self.assertEqual((code, "left out" in said), (0, False), said)

    def test_ranks_that_are_apart_in_one_log_are_partial(self):
        def log(name, other):
            return self.write(name, "".join("[rank %d] step: %d loss: %s\n" % (r, i, other(i) if r else "%.4f" % (9 / i))
                                            for i in range(1, 61) for r in (0, 1)))
        noise = random.Random(5)
        golden = log("g.log", lambda i: "%.4f" % (9 / i))
        self.assertEqual(self.run_curves(golden, golden)[0], 0)
        code, said = self.run_curves(golden, log("own.log", lambda i: "%.4f" % (9 / i * (1 + 0.1 * noise.uniform(-1, 1)))))
        self.assertEqual(code, 0, said)
        self.assertIn("60 of them have other values", said)
        code, said = self.run_curves(golden, log("off.log", lambda i: "%.4f" % (9 / i + 2)))
        self.assertEqual(code, 4, said)
        self.assertIn("60 records of a step again are lastingly apart", said)
        code, said = self.run_curves(golden, log("nan.log", lambda i: "nan" if i == 30 else "%.4f" % (9 / i)))
        self.assertEqual(code, 4, said)
        self.assertIn("(1 next to NaN or Inf)", said)

    def test_the_loss_of_a_rank_that_differs_lastingly_is_judged_as_a_series_of_its_own(self):
        def run(name, other):
            for rank in range(3):
                self.write("%s/worker_%d.log" % (name, rank), "".join(
                    "{ Epoch:[  1/  1], step:[%5d/   60], loss: %s, lr: 1e-05, global_norm: [1.5] }\n" % (i, (other(i) if rank == 1 else "%.3f" % (9 / i)) if rank else 0)
                    for i in range(1, 61)))
            return os.path.join(self.folder, name)
        golden = run("g", lambda i: "%.3f" % (9 / i))
        code, said = self.run_curves(golden, golden)
        self.assertEqual((code, "apart" in said), (0, False), said)
        for name, other, told in (("off", lambda i: "%.3f" % (9 / i + (2 if i > 30 else 0)), "first at step 31 (30 of 60 steps, 0 of them NaN or Inf)"),
                                  ("nan", lambda i: "nan" if i == 30 else "%.3f" % (9 / i), "first at step 30 (1 of 60 steps, 1 of them NaN or Inf)")):
            code, said = self.run_curves(golden, run(name, other))
            self.assertEqual((code, "the loss of rank 1 differs lastingly from that of rank 2, " + told in said), (1, True), said)
        noise = random.Random(5)
        self.assertEqual(self.run_curves(golden, run("own", lambda i: "%.3f" % (9 / i * (1 + 0.1 * noise.uniform(-1, 1)))))[0], 0)

    def test_a_rank_that_is_far_from_the_others_is_no_scatter_however_few_steps_there_are(self):
        def log(name, factor):
            return self.write(name, "".join("[rank%d]: step=%d loss=%.4f\n" % (r, i, (1 if r else factor) * (9 - i / 20)) for i in range(1, 6) for r in (0, 1)))

        self.assertEqual([self.run_curves(log("g.log", 1), log("t.log", factor))[0] for factor in (1, 2)], [0, 1])

    def test_a_norm_that_leaves_golden_s_is_told_and_never_green_where_it_left_within_the_run(self):
        def log(name, factor):
            return self.write(name, "".join("step: %d loss: %.4f grad_norm: %.4f\n" % (i, 5 / i + 1, factor(i) * (1 + i % 3 / 9)) for i in range(1, 101)))
        golden = log("g.log", lambda i: 1)
        for name, factor, code, told in (("later.log", lambda i: 5 if i > 60 else 1, 1, "the gradient norm stays +"),
                                         ("fell.log", lambda i: 0.2 if i > 60 else 1, 1, "the gradient norm stays -"),
                                         ("always.log", lambda i: 5, 0, "grad_norm differs by 4.44 on average"),
                                         ("clipped.log", lambda i: 0.2 if i < 60 else 1, 0, None), ("once.log", lambda i: 9 if i == 95 else 1, 0, None)):
            got, said = self.run_curves(golden, log(name, factor))
            self.assertEqual((got, (told or "golden's") in said), (code, told is not None), said)

    def test_records_without_a_step_meet_where_they_count_the_same_tokens(self):
        draw = random.Random(7)

        def log(name, batch, key="tokens_seen", count=40, form="text", step=False, loss=lambda at: 9 - at / 2e5, ragged=0):
            rows, at = [], 0
            for i in range(1, count + 1):
                at += batch * 1024 - draw.randint(0, ragged)
                fields = {**({"step": i} if step else {}), key: at, "loss": round(loss(at), 5)}
                rows.append(json.dumps(fields) if form == "JSON" else " ".join("%s=%s" % field for field in fields.items()))
            return self.write(name, "\n".join(rows) + "\n")

        told = "the records carry no step and count their %s, by which the runs are joined"
        for key, what in (("tokens_seen", "tokens"), ("consumed_tokens", "tokens"), ("num_tokens", "tokens"), ("consumed_samples", "samples")):
            for form in ("text", "JSON"):
                with self.subTest(key, form=form):
                    golden = log("g", 4, key, 80, form)
                    code, said = self.run_curves(golden, log("t", 8, key, 40, form))
                    self.assertEqual((code, told % what in said, "common step (40 of 80)" in said), (0, True, True), said)
                    code, said = self.run_curves(golden, log("t", 8, key, 40, form, loss=lambda at: 9.5 - at / 2e5))
                    self.assertEqual((code, told % what in said), (1, True), said)
                    code, said = self.run_curves(golden, log("t", 8, key, 40, form), "--x", "step")
                    self.assertNotIn(told % what, said)
        for golden, target in ((log("g", 4), log("t", 4)), (log("g", 4, ragged=100), log("t", 4, ragged=100)),
                               (log("g", 4, step=True, count=80), log("t", 8, step=True))):
            self.assertNotIn("count their tokens", self.run_curves(golden, target)[1])

    def test_how_many_steps_a_verdict_speaks_of_are_those_that_both_runs_print(self):
        def log(name, factor, every):
            return self.write(name, "".join("step: %d loss: %.4f grad_norm: %.3f\n" % (i, (9 - i / 500) * factor(i), 1 + i % 3 / 9)
                                            for i in range(every, 1001, every)))

        for factor, options, told in ((lambda i: 1 + max(0, i - 500) / 2000, (), "golden over the last 20 common steps"),
                                      (lambda i: 1.003, ("--criterion", "converged"), "over the last 20 common steps the loss differs")):
            for every in (10, 5):
                said = self.run_curves(log("golden.log", lambda i: 1, 10), log("target.log", factor, every), *options)[1]
                self.assertIn(told, said)

    def test_a_run_that_counts_from_0_is_compared_with_one_that_counts_from_1(self):
        def log(name, first, gap=1, offset=0, ahead=0):
            return self.write(name, "".join("step: %d loss: %.4f lr: %g\n" % (first + gap * i, 5 / (1 + (i + ahead) / 9) + 1 + (offset if i >= 60 else 0), 1e-4 * min(1, i / 20))
                                            for i in range(100)))
        golden = log("g.log", 1)
        for pair in ((golden, log("t.log", 0)), (log("t.log", 0), golden), (log("tens.log", 10, 10), log("nines.log", 9, 10))):
            code, said = self.run_curves(*pair)
            self.assertEqual((code, "at every common step (100)" in said, "it counts from" in said), (0, True, True), said)
        code, said = self.run_curves(golden, log("off.log", 0, offset=0.5))
        self.assertEqual((code, "from step 61" in said), (1, True), said)
        code, said = self.run_curves(golden, log("resumed.log", 2, ahead=1))  # a first step that is missing
        self.assertEqual((code, "it counts from" in said), (0, False), said)
        code, said = self.run_curves(golden, log("ahead.log", 1, ahead=1))  # other data at each step
        self.assertEqual((code, "it counts from" in said), (1, False), said)

    def test_records_without_a_step_are_compared_with_those_of_a_run_with_steps_in_their_order(self):
        def losses(offset=0):
            return [5 / (1 + i / 9) + 1 + (offset if i >= 60 else 0) for i in range(100)]

        def numbered(name, values):
            return self.write(name, "".join("{'loss': %.4f, 'grad_norm': 1.5}\n" % v for v in values))

        def stepped(name, values):
            return self.write(name, "".join("step: %d loss: %.4f grad_norm: 1.5\n" % (10 * i + 10, v) for i, v in enumerate(values)))
        for pair in ((stepped("s.log", losses()), numbered("n.log", losses())), (numbered("n.log", losses()), stepped("s.log", losses()))):
            code, said = self.run_curves(*pair)
            self.assertEqual((code, "at every common step (100)" in said, "in their order" in said), (0, True, True), said)
        code, said = self.run_curves(stepped("s.log", losses()), numbered("off.log", losses(0.5)))
        self.assertEqual((code, "from step 610" in said), (1, True), said)
        code, said = self.run_curves(stepped("s.log", losses()), numbered("half.log", losses()[:50]))
        self.assertEqual((code, "(50 of 100)" in said), (4, True), said)
        each = self.write("each.log", "".join("step: %d loss: %.4f\n" % (i + 1, v) for i, v in enumerate(losses())))
        code, said = self.run_curves(each, numbered("n.log", losses()))
        self.assertEqual((code, "in their order" in said), (0, False), said)

    def test_an_epoch_whose_bar_was_cut_off_is_no_record(self):
        text = "".join("Epoch %d/60\n 1/40 [>....] - ETA: 1:00 - loss: 9.5\b\b\r40/40 [====] - 10s - loss: %g - val_loss: 3\n" % (i, 2 + 1 / i) for i in range(1, 61))
        golden = self.write("g.log", text)
        code, said = self.run_curves(golden, self.write("t.log", text[:text.rindex("\r") - 2]))
        self.assertEqual((code, "SAME" in said), (0, True), said)
        self.assertEqual(self.series(self.write("one.log", "Epoch 1/9\n 1/40 [>....] - ETA: 1:00 - loss: 9.5\b\b\n"))[1]["loss"], [(1, 9.5)])

    def test_a_count_in_brackets_that_resumes_is_a_restart(self):
        def log(name, steps):
            return self.write(name, "".join("[%d] train/loss=%.4f, train/learning_rate=0.001\n" % (i, 5 / i + 1) for i in steps))
        whole, again = log("w.log", range(1, 101)), log("a.log", [*range(1, 61), *range(41, 101)])
        code, said = self.run_curves(whole, again)
        self.assertEqual((code, "numbered" in said), (0, False), said)
        ranks = self.write("r.log", "".join("[%d] loss=%.4f\n" % (i % 32, 9 / (i + 1)) for i in range(96)))
        self.assertIn("numbered", self.run_curves(ranks)[1])

    def test_dicts_without_a_step_are_put_by_their_epochs(self):
        def log(name, rows, head="", digits=2):
            return self.write(name, head + "".join("{'loss': %.4f, 'grad_norm': 1.5, 'learning_rate': %.6e, 'epoch': %.*f}\n" %
                                                   (2 + 6 / (1 + i / 9), 1e-4 - i * 1e-6, digits, (i + 1) * 0.0103) for i in rows))
        whole = log("whole.log", range(100))
        resumed = log("resumed.log", range(60, 100), "  Continuing training from global step 60\n")

        def text(path):
            with open(path, encoding="utf-8") as file:
                return file.read()
        again = self.write("again.log", text(log("a", range(66))) + "RuntimeError: NCCL\n" + text(resumed))
        for path, code, said in ((again, 0, "it was started again"), (resumed, 4, "40 of 100"), (log("tenth.log", range(9, 100, 10)), None, "10 of 100")):
            for pair in ((whole, path), (path, whole)):
                got, told = self.run_curves(*pair)
                self.assertTrue(got == code or (code is None and got in (0, 1)), told)
                self.assertIn(said, told)
        self.assertIn("SAME", self.run_curves(whole, again)[1])
        # Many records print one epoch: the place is that of the losses.
        coarse = log("coarse.log", range(100), digits=1)
        code, told = self.run_curves(coarse, log("later.log", range(60, 100), digits=1))
        self.assertEqual((code, "SAME" in told), (4, True), told)
        # Another training behind the first is none of its starts.
        code, told = self.run_curves(self.write("two.log", text(whole) * 2))
        self.assertNotIn("it was started again", told)
        self.assertEqual(len(self.series(os.path.join(self.folder, "two.log"), code=code)[1]["loss"]), 200)

    def test_processes_that_print_into_one_log_in_any_order_are_compared_by_their_means(self):
        def log(name, seed, off=0.0, head="step %d loss %.4f\n", ranks=4):
            order = random.Random(seed)
            rows = []
            for i in range(1, 61):
                values = [2 + 6 / i + 0.05 * rank + off * (rank == 2) for rank in range(ranks)]
                rows += order.sample([head % (i, value) for value in values], ranks)
            return self.write(name, "".join(rows))
        for head in ("step %d loss %.4f\n", "(RayTrainWorker pid=17, ip=10.0.0.1) step %d loss %.4f\n", "GPU 0: step: %d, loss: %.4f\n"):
            golden, clean, other = log("g.log", 1, head=head), log("c.log", 2, head=head), log("o.log", 3, 2.0, head)
            code, said = self.run_curves(golden, clean)
            self.assertEqual((code, "the means of the steps are compared" in said), (0, True), said)
            code, said = self.run_curves(golden, other)
            self.assertEqual((code, "OUTSIDE" in said), (1, True), said)
        # Beside a log of one process the first value counts, as nobody knows whose it is.
        self.assertNotIn("the means", self.run_curves(golden, log("one.log", 1, ranks=1))[1])

    def test_a_record_that_is_shown_again_is_no_restart(self):
        """The best iteration of LightGBM, and a last line that says an earlier one again."""
        rows = ["[%d]\ttraining's l2: %g\tvalid_1's l2: %g\n" % (i, 1 - i / 100, 2 - i / 100) for i in range(1, 25)]
        for count, head in ((24, "Early stopping, best iteration is:\n"), (8, "Did not meet early stopping. Best iteration is:\n")):
            path = self.write("l.log", "".join(rows[:count]) + head + rows[5])
            runs, found = self.series(path)
            self.assertEqual(found["loss.training's_l2"] if "loss" not in found else found["loss"],
                             [(i, round(1 - i / 100, 2)) for i in range(1, count + 1)])
            self.assertEqual(found["eval_loss"][-1][0], count)
            self.assertNotIn("restart", [event["kind"] for event in runs[0]["events"]])
        steps = ["step: %d loss: %.4f\n" % (i, 5 / i) for i in range(1, 25)]
        runs, found = self.series(self.write("s.log", "".join(steps) + steps[5]))
        self.assertEqual((found["loss"][-1][0], runs[0]["events"]), (24, []))
        runs, found = self.series(self.write("r.log", "".join(steps) + "step: 6 loss: 0.8334\n"), code=4)
        self.assertEqual((found["loss"][-1][0], [event["kind"] for event in runs[0]["events"]]), (6, ["restart"]))

    def test_an_evaluation_that_is_apart_is_never_green(self):
        def table(name, offset):
            return self.write(name, "step,loss,val_loss\n" + "".join("%d,%.4f,%.4f\n" % (i, 5 / i + 1, 5 / i + 1.2 + offset) for i in range(1, 101)))
        golden = table("g.csv", 0)
        self.assertEqual(self.run_curves(golden, golden)[0], 0)
        code, said = self.run_curves(golden, table("t.csv", 0.8))
        self.assertEqual(code, 1, said)
        self.assertIn("eval_loss stays +0.80", said)

    def test_an_evaluation_in_the_words_of_any_trainer_is_never_green_where_it_ends_apart(self):
        for name, step, evaluation in EVALUATIONS:
            with self.subTest(name):
                def log(path, factor):
                    return self.write(path, "".join((step % {"i": i, "e": 1 + (i - 1) // 10, "s": (i - 1) % 10 + 1, "v": 9 - i / 10}) + (
                        evaluation % {"i": i, "e": i // 10, "v": factor * (9 - i / 10)} if i % 10 == 0 else "") for i in range(1, 61)))
                golden = log("g.log", 1)
                self.assertEqual(self.run_curves(golden, golden)[0], 0)
                code, said = self.run_curves(golden, log("t.log", 1.5))
                self.assertEqual((code in (1, 4), "the loss is equal" in said or "is equal at every" in said), (True, True), said)

    def test_an_evaluation_without_a_step_above_all_records_is_told(self):
        for early in ("Validation: loss 9.5\n", "val_loss: 9.5\n"):
            _, said = self.run_curves(self.write("a.log", "a run\n" + early + "".join("step %d loss: %.2f\n" % (i, 9 - i / 8) for i in range(1, 9))))
            self.assertIn("a.log:2: 1 evaluation without a step is left out above the records", said)

    def test_rewards_on_lines_of_their_own_are_never_green_where_they_end_apart(self):
        for name, record in REWARDS:
            with self.subTest(name):
                def log(path, factor):
                    return self.write(path, "".join(record % {"i": i, "v": 9 - i / 10, "r": factor * (1 + i / 20)} for i in range(1, 61)))
                golden = log("g.log", 1)
                self.assertEqual(self.run_curves(golden, golden)[0], 0)
                code, said = self.run_curves(golden, log("t.log", 0.5))
                self.assertEqual((code in (1, 4), "the loss is equal" in said or "is equal at every" in said), (True, True), said)
                self.assertEqual(sum(e["kind"] == "restart" for e in self.series(golden)[0][0]["events"]), 0)

    def test_evaluations_that_one_run_lacks_where_it_trains_are_told(self):
        def table(name, evaluations, last=400):
            return self.write(name, "step,loss,eval_loss\n" + "".join("%d,%.4f,%s\n" % (
                i, 5 / i + 1, "%.4f" % (5 / i + 1.2) if i in evaluations else "") for i in range(1, last + 1)))
        golden = table("g.csv", range(50, 401, 50))
        for target, code, told in ((table("none.csv", ()), 4, "none.csv: eval_loss is missing at 8 steps, first at step 50"),
                                   (table("stops.csv", range(50, 251, 50)), 4, "stops.csv: eval_loss is missing at 3 steps, first at step 300"),
                                   (table("last.csv", range(50, 351, 50)), 0, "last.csv: eval_loss is missing at 1 step, step 400")):
            done, said = self.run_curves(golden, target)
            self.assertEqual((done, told in said), (code, True), said)
            done, said = self.run_curves(target, golden)
            self.assertEqual((done, told in said), (0, True), said)
        for target in (table("seldom.csv", range(150, 401, 150)), table("early.csv", range(50, 390, 50), 390)):
            self.assertNotIn("eval_loss is missing", self.run_curves(golden, target)[1])

    def test_an_error_or_a_second_loss_that_is_apart_is_never_green(self):
        def table(name, series, factor):
            return self.write(name, "step,loss,%s\n" % series + "".join("%d,%.4f,%.5f\n" % (i, 5 / i + 1, factor * (1 / i + 0.1)) for i in range(1, 101)))
        for series in ("eval-rmse", "validation_0-mae", "val_error", "test_wer", "eval_ppl", "mtp_loss", "xent_objf"):
            factor = 1.05 if series.endswith(("rmse", "mae", "error")) else 1.5
            golden = table("g.csv", series, 1)
            self.assertEqual(self.run_curves(golden, golden)[0], 0, series)
            code, said = self.run_curves(golden, table("t.csv", series, factor))
            self.assertIn(code, (1, 4), series + said)
        for series in ("loss_scale", "val_loss_weight", "num_zeros"):
            self.assertEqual(self.run_curves(table("g.csv", series, 1), table("t.csv", series, 2))[0], 0, series)
        code, said = self.run_curves(table("g.csv", "moe_aux_loss", 0.01), table("t.csv", "moe_aux_loss", 0.012))
        self.assertEqual((code in (1, 4), "moe_aux_loss" in said), (True, True), said)

    def test_rewards_and_accuracies_that_end_apart_are_never_green(self):
        def table(name, series, rewards):
            return self.write(name, "step,pg_loss,%s\n" % series + "".join("%d,%.4f,%.5f\n" % (i, 0.01 * (i * 37 % 11 - 5), rewards(i)) for i in range(1, 101)))
        def scatter(i, seed):
            return 0.05 * ((i * seed % 101) / 50 - 1)
        def golden(i):
            return 0.3 + 0.005 * i + scatter(i, 29)
        def collapses(i):
            return golden(i) if i < 40 else 0.5 - 0.004 * (i - 40)
        for series in ("critic/score/mean", "critic/rewards/mean", "rollout/ep_rew_mean", "rewards/chosen", "episode_return", "train_acc", "accuracy", "actor/entropy",
                       "rew", "rm", "ret", "AverageEpRet"):
            self.assertEqual(self.run_curves(table("g.csv", series, golden), table("t.csv", series, golden))[0], 0, series)
            for target in (collapses, lambda i: golden(i) + 0.1, lambda i: 0):
                code, said = self.run_curves(table("g.csv", series, golden), table("t.csv", series, target))
                self.assertEqual((code in (1, 4), series in said), (True, True), series + said)
            seed = table("t.csv", series, lambda i: 0.3 + 0.005 * i + scatter(i, 53))
            self.assertEqual(self.run_curves(table("g.csv", series, golden), seed)[0], 0, series)
        self.assertEqual(self.run_curves(table("g.csv", "critic/score/mean", lambda i: 0), table("t.csv", "critic/score/mean", golden))[0], 1)
        for series in ("critic/score/max", "reward_std", "timing_s/reward", "reward_scale", "StdEpRet", "MaxEpRet", "Min Reward"):
            self.assertEqual(self.run_curves(table("g.csv", series, golden), table("t.csv", series, collapses))[0], 0, series)

    def test_records_that_no_line_end_parts_are_all_read(self):
        records = ['{"step": %d, "loss": %.4f}' % (i, 2 + 1 / i) for i in range(1, 61)]
        whole = "".join(first + last + "\n" for first, last in zip(records[4::2], records[5::2]))
        for name, text in (("all.jsonl", "".join(first + " " + last + "\n" for first, last in zip(records[::2], records[1::2]))),
                           ("some.jsonl", "\n".join(records[:4]) + "\n" + whole), ("dicts.log", ("\n".join(records[:4]) + "\n" + whole).replace('"', "'")),
                           ("words.log", "".join("INFO: %s\n" % line for line in ("\n".join(records[:4]) + "\n" + whole).splitlines()))):
            loss = self.series(self.write(name, text))[1]["loss"]
            self.assertEqual((len(loss), loss[0], loss[-1]), (60, (1, 3.0), (60, 2.0167)), name)
        code, said = self.run_curves(self.write("cut.jsonl", "\n".join(records[:4]) + records[4][:12] + "\n" + "\n".join(records[5:9]) + "\n"))
        self.assertEqual((code, "cut.jsonl:4: 1 line is no whole JSON object" in said), (4, True), said)

    def test_an_export_of_thousands_of_runs_is_a_table(self):
        runs = range(4000)
        head = "Step," + ",".join("run-%d - train/loss,run-%d - train/loss__MIN,run-%d - train/loss__MAX" % (run, run, run) for run in runs)
        path = self.write("wandb.csv", head + "\n" + "".join("%d%s\n" % (step, ",1.5" * 12000) for step in range(9)))
        found = self.series(path)[0]
        self.assertEqual((len(found), found[3999]["name"]), (4000, "run-3999"))

    def test_rewards_losses_and_norms_that_one_run_lacks_are_told(self):
        def line(i, beside):
            return "step:%d - actor/pg_loss:%.4f%s\n" % (i, 5 / i + 1, "".join(" - %s:%.4f" % (name, 0.3 + i / 100) for name in beside))
        def log(name, *beside, last=60):
            return self.write(name, "".join(line(i, beside if i <= last else ()) for i in range(1, 61)))
        bare = log("bare.log")
        for code, series, shown in ((4, "critic/rewards/mean", None), (4, "moe_aux_loss", "loss.moe_aux_loss"), (0, "actor/grad_norm", "grad_norm"),
                                    (None, "critic/rewards/max", None), (None, "loss_scale", None)):
            golden, told = log("g.log", series), "bare.log: %s is missing at 60 steps, first at step 1" % (shown or series)
            done, said = self.run_curves(golden, bare)
            self.assertEqual((done, told in said), (code or 0, code is not None), said)
            self.assertEqual(self.run_curves(bare, golden)[0], 0)
        golden = log("g.log", "critic/rewards/mean")
        code, said = self.run_curves(golden, log("stops.log", "critic/rewards/mean", last=20))
        self.assertEqual((code, "stops.log: critic/rewards/mean is missing at 40 steps, first at step 21" in said), (4, True), said)
        table = self.write("other.csv", "step,actor/pg_loss\n" + "".join("%d,%.4f\n" % (i, 5 / i + 1) for i in range(1, 61)))
        code, said = self.run_curves(golden, table)
        self.assertEqual((code, "other.csv: critic/rewards/mean is missing" in said), (0, True), said)
        noise = [part for seed in (1, 2, 3) for part in ("--noise", self.write("n%d.log" % seed, "".join(
            line(i, ("critic/rewards/mean",)).replace("%.4f" % (5 / i + 1), "%.4f" % (5 / i + 1 + 0.001 * (i * seed * 37 % 11 - 5))) for i in range(1, 61))))]
        code, said = self.run_curves(golden, bare, *noise)
        self.assertEqual((code, "critic/rewards/mean is missing" in said), (0, True), said)

    def test_where_the_loss_is_none_the_verdict_is_of_what_differs_most(self):
        def log(name, reward):
            return self.write(name, "".join(str({"loss": 0.0, "learning_rate": 1e-06, "clip_ratio": 0.0, "reward": reward(i), "kl": 0.001}) + "\n" for i in range(1, 41)))
        golden = log("g.log", lambda i: 0.3 + i / 100)
        code, said = self.run_curves(golden, log("t.log", lambda i: 0.3 + min(i, 20) / 100))
        self.assertEqual((code in (1, 4), "reward" in said, "verdict is that of the loss" in said), (True, True, False), said)
        code, said = self.run_curves(golden, log("s.log", lambda i: 0.3 + i / 100))
        self.assertEqual((code, "SAME" in said, "clip_ratio differs" in said), (4, True, False), said)

    def test_a_loss_that_passes_zero_is_held_against_its_size(self):
        def log(name, apart):
            values = [0.01 * (i * 37 % 11 - 5) + (1e-6 if i * 37 % 11 == 5 else 0) for i in range(1, 101)]
            return self.write(name, "step,pg_loss\n" + "".join("%d,%.7f\n" % (i, value + apart * (-1) ** i) for i, value in enumerate(values, 1)))
        self.assertEqual(self.run_curves(log("g.csv", 0), log("t.csv", 1e-4))[0], 0)
        code, said = self.run_curves(log("g.csv", 0), log("t.csv", 1e-3))
        self.assertEqual((code, "scatters around 0" in said, "% on average" in said), (0, True, False), said)
        self.assertEqual(self.run_curves(log("g.csv", 0), log("t.csv", 0.1))[0], 1)

    def test_what_differs_beside_equal_losses_is_told(self):
        def log(name, norm=lambda i: 1.5, weights=100.0, zeros=0, skipped=lambda i: 0, nans=lambda i: 0):
            return self.write(name, "".join(
                " iteration %8d/ 200 | learning rate: 1.0E-04 | lm loss: %.6E | grad norm: %.3f | num zeros: %d | params norm: %.3f |"
                " number of skipped iterations: %3d | number of nan iterations: %3d |\n" % (i, 5 / i + 1, norm(i), zeros, weights, skipped(i), nans(i)) for i in range(1, 201)))
        golden = log("g.log")
        self.assertNotIn("warning", self.run_curves(golden, log("t.log"))[1])
        for code, told, target in ((0, "params_norm differs by 50 on average", {"weights": 50.0}),
                                   (0, "num_zeros differs by 9e+04 on average", {"zeros": 90000}),
                                   (0, "grad_norm differs by 0.735 on average, at most by 73.5 at step 100", {"norm": lambda i: 1.5 if i % 100 else 75}),
                                   (0, "the log says skipped at 20 steps, golden's at 0", {"skipped": lambda i: i % 10 == 0}),
                                   (4, "the log says NaN at 1 step, golden's at 0", {"nans": lambda i: i == 10})):
            found, said = self.run_curves(golden, log("t.log", **target))
            self.assertEqual((found, told in said), (code, True), told + said)
            self.assertNotIn("the log says", self.run_curves(log("b.log", **target), golden)[1])
        self.assertNotIn("warning", self.run_curves(golden, log("t.log", norm=lambda i: 1.53))[1])

    def test_a_norm_that_one_run_lacks_for_a_while_is_told(self):
        def log(name, lacking):
            return self.write(name, "".join("step: %d loss: %.4f%s\n" % (i, 5 / i + 1, "" if i in lacking else " grad_norm: 1.5") for i in range(1, 201)))
        golden = log("g.log", ())
        self.assertIn("t.log: grad_norm is missing at 9 steps, first at step 51", self.run_curves(golden, log("t.log", range(51, 60)))[1])
        self.assertNotIn("missing", self.run_curves(golden, golden)[1])

    def test_a_few_blank_losses_and_a_late_start_are_told(self):
        def table(name, steps, blank=()):
            return self.write(name, "step,loss\n" + "".join("%d,%s\n" % (i, "" if i in blank else "%.4f" % (5 / i + 1)) for i in steps))
        golden = table("g.csv", range(1, 201))
        for target, told in ((table("b.csv", range(1, 201), (100,)), "b.csv: loss is missing at 1 step, step 100"),
                             (table("e.csv", range(1, 201), (1, 200)), "e.csv: loss is missing at 2 steps, first at step 1"),
                             (table("r.csv", [i for i in range(1, 201) if i != 70]), "r.csv: loss is missing at 1 step, step 70"),
                             (table("s.csv", [i for i in range(1, 201) if i % 25 != 5]), "s.csv: loss is missing at 8 steps, first at step 5"),
                             (table("c.csv", range(1, 200)), "loss ends at step 199 in one run, at step 200 in the other"),
                             (table("l.csv", range(101, 201)), "l.csv: loss begins at step 101, the other run's at step 1")):
            for pair in ((golden, target), (target, golden)):
                code, said = self.run_curves(*pair)
                self.assertEqual((code, told in said), (0, True), said)
        code, said = self.run_curves(table("p.csv", [i for i in range(1, 201) if i != 199]), table("q.csv", range(1, 200)))
        self.assertIn("loss ends at step 199 in one run, at step 200 in the other", said)
        self.assertEqual(self.run_curves(golden, table("t.csv", range(1, 201), range(50, 65)))[0], 4)
        for late in (table("o.csv", [200]), table("h.csv", range(102, 201))):  # fewer than half of the steps are common
            for pair in ((golden, late), (late, golden)):
                code, said = self.run_curves(*pair)
                self.assertEqual((code, "loss begins at step" in said), (4, True), said)
        even, odd = table("even.csv", range(2, 201, 2)), table("odd.csv", [i for i in range(1, 201) if i % 2 or i % 50 == 0])
        for pair in ((even, odd), (odd, even)):
            code, said = self.run_curves(*pair)
            self.assertEqual((code, "loss is compared at 4 of 100 steps" in said), (4, True), said)
        tens = table("tens.csv", range(10, 121, 10))
        for pair in ((tens, table("few.csv", (30, 60, 100, 120))), (table("few.csv", (30, 60, 100, 120)), tens)):
            code, said = self.run_curves(*pair)
            self.assertEqual((code, "loss is compared at 4 of 10 steps" in said), (4, True), said)
        for steps in ((30, 60, 90, 120), (1, 30, 60, 90, 120), (10, 20, 30, 60, 90, 120)):  # whole rhythms, and one that changes
            self.assertEqual(self.run_curves(tens, table("whole.csv", steps))[0], 0, steps)
        tenth = table("d.csv", range(110, 201, 10))
        self.assertEqual([self.run_curves(*pair)[0] for pair in ((golden, tenth), (tenth, golden))], [0, 0])

    def test_golden_and_target_are_no_noise(self):
        golden = self.log("g.csv", "".join("%d,%g\n" % (i, 9 / i) for i in range(1, 41)))
        target = self.log("t.csv", "".join("%d,%g\n" % (i, 9.1 / i) for i in range(1, 41)))
        copy = self.log("c.csv", "".join("%d,%g\n" % (i, 9.1 / i) for i in range(1, 41)))
        for noise in (golden, target, copy):
            self.assertEqual(self.run_curves(golden, target, "--noise", noise)[0], 2, noise)


    def test_values_without_a_name_are_called_as_their_file_where_that_is_a_loss(self):
        def table(name, head, factor):
            clock = "1700000000.5," if "Wall" in head else ""
            rows = "".join("%s%d,%g\n" % (clock, i, factor * (3 - i / 100)) for i in range(1, 101))
            return self.write(name, head + rows)
        for head in ("Wall time,Step,Value\n", "step,value\n", "# step,value\n"):
            files = [table("%s_loss.csv" % name, head, factor) for name, factor in (("gpu", 1), ("npu", 2))]
            code, said = self.run_curves(*files)
            self.assertEqual((code, "(gpu_loss)" in said), (1, True), said)
            code, said = self.run_curves(files[0], table("b.csv", head, 2), "--loss", "value")
            self.assertEqual(code, 1, said)
            files = [table(name, head, factor) for name, factor in (("a.csv", 1), ("b.csv", 2))]
            code, said = self.run_curves(*files)
            self.assertEqual((code, "if that is the loss, --loss value says so" in said), (4, True), said)
            self.assertEqual(self.run_curves(*files, "--loss", "value")[0], 1)

    def test_values_beside_a_loss_keep_their_name(self):
        found = self.series(self.write("train_loss.csv", "step,value,loss\n1,9,2.5\n2,8,2.25\n"))[1]
        self.assertEqual((found["loss"], found["value"]), ([(1, 2.5), (2, 2.25)], [(1, 9), (2, 8)]))

    def test_a_list_without_a_name_is_called_as_its_file_or_refused_with_what_names_it(self):
        for text in ("[2.5, 2.25]", "[[10, 2.5], [20, 2.25]]", '{"x": [10, 20], "y": [2.5, 2.25]}', "10 2.5\n20 2.25\n"):
            for name, series in (("train_loss.json", "loss"), ("grad_norm.json", "grad_norm"), ("val_loss.txt", "eval_loss")):
                self.assertEqual(list(self.series(self.write(name, text))[1]), [series])
        for text in ("[2.5, 2.25]", '{"loss": [[2.5, 2.25], [2.0, 1.5]]}', "[[2.5, 2.25, 2.0, 1.5], [2.5, 2.25, 2.0, 1.5]]"):
            code, said = self.run_curves(self.write("a.json", text))
            self.assertEqual((code, "lists are read where they have a name" in said), (3, True), said)
        code, said = self.run_curves(self.write("h.json", '{"loss": [2.5, 2.25, 2.0], "val_loss": [2.5, 2.25]}'))
        self.assertIn("1 list has fewer numbers than the longest and no steps", said)

    def test_a_verdict_without_a_loss_is_never_green(self):
        def table(name, column, factor):
            return self.write(name, "step,%s\n" % column + "".join("%d,%g\n" % (i, factor * i) for i in range(1, 60)))
        for column in ("lr", "grad_norm", "accuracy", "elapsed time per iteration (ms)", "throughput"):
            for factor in (1, 2):
                code, said = self.run_curves(table("a.csv", column, 1e-3), table("b.csv", column, factor * 1e-3))
                self.assertIn(code, (1, 3, 4), said)
                self.assertTrue("PARTIAL" in said or "NOT COMPARED" in said, said)

    def test_beyond_the_tolerance_but_not_beyond_the_noise_is_not_green(self):
        def run(name, seed, offset):
            noise = random.Random(seed)
            state, rows = 0.0, []
            for step in range(1, 601):
                state = 0.97 * state + 0.24 * noise.gauss(0, 1)
                rows.append("%d,%.5f" % (step, 2 + 0.06 * state + offset))
            return self.write(name, "step,loss\n" + "\n".join(rows) + "\n")
        codes = set()
        for seed in range(12):
            code, said = self.run_curves(run("g.csv", 3 * seed, 0), run("t.csv", 3 * seed + 1, 0.1), "--noise", run("n.csv", 3 * seed + 2, 0))
            codes.add(code)
            if code == 4:
                self.assertIn("give more of them", said)
        self.assertIn(4, codes)


    def test_what_is_no_number_in_one_run_is_in_its_verdict(self):
        rows = ["%d,%s\n" % (i, "nan" if i in (20, 30) else "-inf" if i == 25 else "%g" % (9 / i)) for i in range(1, 61)]
        said = self.run_curves(self.log("one.csv", "".join(rows)))[1]
        self.assertIn("NaN or Inf at 3 steps, the first is 20", said)
        said = self.run_curves(self.log("two.csv", "".join(rows[:20] + ["%d,nan\n" % i for i in range(21, 60)])))[1]
        self.assertIn("NaN from step 20 to the end", said)
        self.assertNotIn("NaN or Inf at", said)


class Watch(Case):
    def grow(self, golden, out, *options):
        """The exit code of a watch over a log that grows, is cut in the middle, and leaves golden at step 60."""
        path = os.path.join(self.folder, "t.log")
        watch = subprocess.Popen([VERNIER, "curves", golden, path, "--watch", "--interval", "0.1", "-o", out, *options],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertIn(b"does not exist", watch.stderr.readline())
        steps = list(range(1, 121))
        for begin in range(0, 120, 10):
            with open(path, "w" if begin == 30 else "a", encoding="utf-8") as file:
                file.writelines("step: %d loss: %.3f\n" % (s, 9 - s / 20 + (s >= 60)) for s in steps[begin:begin + 10])
            time.sleep(0.15)
        return watch

    def test_a_log_is_drawn_as_it_grows_until_it_diverges(self):
        golden = self.write("g.log", "".join("step: %d loss: %.3f\n" % (s, 9 - s / 20) for s in range(1, 121)))
        watch = self.grow(golden, os.path.join(self.folder, "out"), "--until-diverges")
        said = watch.communicate(timeout=300)[0].decode()
        self.assertEqual(watch.returncode, 1, said)
        self.assertIn("step 60", said)
        self.assertTrue(os.path.exists(os.path.join(self.folder, "out", "index.html")))

    def test_an_interrupt_gives_the_code_of_the_last_verdict(self):
        golden = self.write("g.log", "".join("step: %d loss: %.3f\n" % (s, 9 - s / 20) for s in range(1, 121)))
        watch = self.grow(golden, os.path.join(self.folder, "out"))
        for _ in range(2):  # a verdict is printed before its code is known; before the next one it is
            line = "PARTIAL"
            while "OUTSIDE" not in line or "PARTIAL" in line:
                line = watch.stdout.readline().decode()
                self.assertTrue(line, "the watch has ended")
            with open(os.path.join(self.folder, "t.log"), "a", encoding="utf-8") as file:
                file.write("\n")
        watch.send_signal(signal.SIGINT)
        watch.communicate(timeout=300)
        self.assertEqual(watch.returncode, 1)

    def watch_to_the_end(self, log, *options):
        """Exit code and standard error of a watch that ends by itself."""
        done = subprocess.run([VERNIER, "curves", self.golden, log, "--watch", "--interval", "0.1", "-o", self.out, *options],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
        return done.returncode, done.stdout.decode()

    def test_a_good_run_ends_the_watch_with_the_process_that_writes(self):
        lines = "".join("step: %d loss: %.3f\\n" % (s, 9 - s / 20) for s in range(1, 121))
        self.golden = self.write("g.log", lines.replace("\\n", "\n"))
        log = os.path.join(self.folder, "t.log")
        script = "import sys, time; f = open(sys.argv[1], 'w'); t = '%s'\n" % lines
        script += "for i in range(0, len(t), 500): f.write(t[i:i + 500]); f.flush(); time.sleep(0.1)"
        writer = subprocess.Popen([sys.executable, "-c", script, log])
        code, said = self.watch_to_the_end(log, "--pid", str(writer.pid))  # nobody has waited for it yet
        self.assertIsNotNone(writer.wait())
        self.assertEqual(code, 0, said)
        self.assertIn("(120)", said)  # what it wrote last was drawn
        self.assertEqual(self.watch_to_the_end(log, "--pid", str(writer.pid))[0], 0)

    def test_a_watch_ends_when_the_logs_rest(self):
        self.golden = self.write("g.log", "".join("step: %d loss: %.3f\n" % (s, 9 - s / 20) for s in range(1, 121)))
        begin = time.monotonic()
        code, said = self.watch_to_the_end(self.write("t.log", "step: 1 loss: 8.95\nstep: 2 loss: 8.9\n"), "--idle", "0.5")
        self.assertEqual(code, 4, said)  # two steps of 120
        self.assertGreater(time.monotonic() - begin, 0.5)
        self.assertEqual(self.watch_to_the_end(os.path.join(self.folder, "none.log"), "--idle", "0.5")[0], 3)

    def test_a_watch_without_a_meaning_is_refused(self):
        path = self.write("g.log", "step: 1 loss: 2.5\nstep: 2 loss: 2.0\n")
        for words in (("--interval", "5"), ("--until-diverges",), ("--watch", "--interval", "0"), ("--watch", "--until-diverges"),
                      ("--pid", "1"), ("--idle", "5"), ("--watch", "--pid", "0"), ("--watch", "--pid", "1.5"),
                      ("--watch", "--idle", "0"), ("--watch", "--pid", "nan"),
                      ("--watch", "--history", os.path.join(self.folder, "n.db"))):
            self.assertEqual(self.run_curves(path, *words)[0], 2, words)
        self.assertEqual(self.run_curves("-", "--watch", stdin=b"")[0], 2)


if __name__ == "__main__":
    unittest.main()
