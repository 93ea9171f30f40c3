// SPDX-License-Identifier: Apache-2.0
// vernier help logs: every form of a log that is read, with a line of it; the tables of
// docs/reference/logs.md, which a test holds equal.
#include <stdio.h>

#include "base/words.h"
#include "commands/machinery/commands.h"
#include "commands/machinery/terminal_text.h"

static const struct {
    const char *source;  // TR
    const char *taken;   // TR
} sources[] = {
    {TR("MindFormers, classic and eager trainer"),
     TR("step lines, separate losses, data skip, aborts, checkpoints, local norms, embedding "
        "norms")},
    {TR("Megatron-LM, MindSpeed, ModelLink, forks"),
     TR("iteration lines with any fields, counters of skipped and NaN iterations, validation")},
    {TR("Hugging Face Trainer and relatives"),
     TR("`trainer_state.json`, line JSON, dicts on standard output (their step is in the bar)")},
    {TR("DeepSpeed"), TR("engine and pipeline lines, overflows, monitor CSV (over samples)")},
    {TR("TensorBoard, W&B"), TR("event files, exported CSV, history lines")},
    {TR("every other"),
     TR("the forms below, and any line with a step or an epoch and a loss, a norm or a rate")},
    {TR("CSV, TSV, semicolons, blanks, JSON"),
     TR("columns by name; without a header step and loss")},
};

static const struct {
    const char *form;  // TR
    const char *line;  // as it stands in a log; TR where words stand beside it
    const char *step;  // TR
} forms[] = {
    {TR("torchtitan, own loops"), "`step: 1  loss: 8.03  grad_norm: 8.5  tps: 7,282`",
     TR("as printed")},
    {TR("verl and other RL consoles"), "`step:1 - actor/pg_loss:-0.03 - actor/lr(1e-4):0.01`",
     TR("as printed; the actor's norm and rate")},
    {TR("nanoGPT"), "`iter 10: loss 8.1, time 251ms`, `480 | loss 4.18 | lr 9e-04 | 7ms`",
     TR("as printed")},
    {TR("build-nanogpt"), "`250 train 5.123400`, `250 val 6.0100`, `250 hella 0.2500`",
     TR("the number in front")},
    {TR("llm.c"), "`s:18 trl:9.1 lr:0.0018 norm:0.53`, `s:20 tel:8.9`", TR("`s`")},
    {TR("NeMo, BioNeMo"),
     "`Training epoch 0, iteration 19/400 | global_step: 19 | reduced_train_loss: 8.9`",
     TR("`global_step`")},
    {TR("bars of tqdm, diffusers, Lightning, OpenRLHF, Rich"),
     "`Epoch 0: 20%| | 1/5 [00:01<00:05, 1it/s, loss=9.0]`, `Epoch 0/9 ━━ 1/5 0:00:01 • 0:00:05 "
     "1it/s loss: 9.0`",
     TR("N of N/M; the last redraw of a step")},
    {TR("MMEngine, mmdet"),
     "`Epoch(train) [2][ 50/200]  lr: 2e-02  loss: 0.73`, `Epoch [2][50/200]`, `Iter(train) "
     "[50/40000]`",
     TR("(E−1)·M+S")},
    {TR("fairseq"), "`| epoch 001:  100 / 250 loss=9.0, num_updates=100, gnorm=4.2`",
     TR("`num_updates`, else (E−1)·M+S")},
    {TR("Swin"), "`Train: [1/300][10/40]\teta 0:10:52 lr 0.0007\tloss 6.55 (6.30)`", TR("E·M+S")},
    {TR("DETR, DINO, torchvision, PaddleDetection"),
     "`Epoch: [1]  [ 10/40]  eta: 0:01  lr: 0.0001  loss: 38.5 (38.5)`", TR("E·M+S")},
    {TR("Model Garden of TensorFlow"),
     "`train | step: 100 | steps/sec: 3.1 | output:`, below it `{'train_loss': 2.5}`",
     TR("of the line above")},
    {TR("Ignite"), "`Epoch [1/2]: [10/600]   2%|█ , loss=2.5 [00:10<01:00]`", TR("(E−1)·M+S")},
    {TR("so-vits-svc, FunASR"),
     "`Losses: [2.5, 0.5], step: 200`, `total step: 10, [('loss', 2.5)]`",
     TR("as printed; losses without a name are judged each")},
    {TR("timm"), "`Train: 1 [  10/40 ( 25%)]  Loss: 6.55 (6.30)`", TR("E·M+S")},
    {TR("LossMonitor of MindSpore"),
     "`epoch: 1 step: 20, loss is 8.9`, `epoch: 1 step: 20, outputs are (8.9, False)`",
     TR("as printed, over the epochs")},
    {TR("litgpt"), "`Epoch 1 | iter 4 step 1 | loss train: 8.9, val: n/a`", TR("as printed")},
    {TR("loops in Chinese"),
     "`步数：100，损失：2.31`, `第 1 轮，第 5/12 步 损失=2.3`, `步数,损失,学习率`",
     TR("as printed, else (E−1)·M+S")},
    {TR("phases of own loops, PyTorch tutorials, Catalyst"),
     TR("`Epoch 1/9 | Train: loss 2.5 | Val: loss 2.7`; `train Loss: 2.5`, `val Loss: 2.7` below "
        "`Epoch 0/9`"),
     TR("the epoch")},
    {TR("PyTorch examples"),
     "`Train Epoch: 1 [640/60000 (1%)]\tLoss: 2.3`, `| epoch 1 | 200/400 batches | loss 9.5`, "
     "`[1,  2000] loss: 2.3`, `loss: 2.3  [   64/60000]`",
     TR("(E−1)·M+S")},
    {TR("ESPnet"), "`1epoch:train:601-1200batch: loss=61.9, lr_0=1.7e-05`",
     TR("last batch of the range")},
    {TR("DLLogger, MindYOLO, own epochs"), "`Epoch 1/4, Step 10/40, loss: 90.1, cur_lr: 0.001`",
     TR("(E−1)·M+S")},
    {TR("PaddlePaddle"),
     "`epoch: 0, iter: 3, lr: 0.0002, 'loss': 7.0`, `global step 10, loss: 7.0`",
     TR("as printed, over the epochs")},
    {TR("OLMo, nnU-Net, Composer, Coqui, NeMo RL"),
     TR("`[step=1/700,epoch=0]`, `[batch=1/700]:`, `-- GLOBAL_STEP: 25`, below it "
        "`train/CrossEntropyLoss=12.18`"),
     TR("of the line above")},
    {TR("stable-baselines3, AReaL"),
     TR("a box of names and numbers: `| loss | 2.5 |`, `│ loss/avg │ 2.5e+00 │ lr │ 1e-06 │`"),
     TR("in the box, else of the line above")},
    {TR("YOLO on the console"),
     TR("`1/100  2.61G  1.26  2.34  640: 90%| | 9/10 [00:02<00:00, 3it/s]` below `Epoch  GPU_mem  "
        "box_loss  cls_loss  Size`"),
     TR("the epoch; the last redraw")},
    {TR("clu, T5X, XGBoost"), "`[100] train/loss=2.5, train/learning_rate=0.001`",
     TR("the number in brackets, while it rises")},
    {TR("LightGBM, CatBoost"),
     "`[1]\ttraining's l2: 0.5\tvalid_1's l2: 0.6`, `0:\tlearn: 0.5\ttest: 0.6`",
     TR("the number in front")},
    {TR("Keras"), TR("`Epoch 1/4`, below it `2/2 [====] - 10s - loss: 2.5 - val_loss: 2.7`"),
     TR("the epoch; the last redraw")},
    {TR("OpenPCDet, GNMT"),
     "`Train:  1/2 ( 50%) [  9/20 ( 45%)]  Loss: 2.5 (2.6)`, `TRAIN [0][10/20]  Loss/tok 2.5`",
     TR("as printed, over the epochs")},
    {TR("Tacotron 2, ELECTRA"),
     "`Train loss 10 2.5 Grad Norm 1.5 1.2s/it`, `10/100 = 10.0%, SPS: 5.0, loss: 2.5`",
     TR("as printed")},
    {TR("darknet"), "`1: 800.5, 790.2 avg loss, 0.001 rate, 3.4 seconds`", TR("as printed")},
    {TR("Kaldi"),
     "`Average objective function for 'output' for minibatches 0-99 is -4.5 over 128 frames.`",
     TR("last minibatch of the range")},
    {TR("spaCy, tabulate, notebooks"),
     TR("names above rows of numbers, framed, ruled, separated by tabs or bars: `E  #  LOSS NER  "
        "SCORE`"),
     TR("its column")},
    {TR("EasyLM and other printers of objects"),
     TR("`{'learning_rate': 0.1,` to ` 'loss': 2.5, 'step': 1}` over several lines"),
     TR("as printed")},
    {TR("WeNet, icefall"),
     "`DEBUG TRAIN Batch 0/100 loss 9.2 lr 0.001 rank 0`, `Epoch 1, batch 50, loss[loss=0.3, ]`",
     TR("as printed, over the epochs")},
    {TR("Marian"), "`Ep. 1 : Up. 100 : Sen. 6,400 : Cost 9.2 : gNorm 1.2 : L.r. 3e-04`",
     TR("`Up.`")},
    {TR("Sockeye, MXNet"),
     "`Epoch[0] Batch [50]\tcross-entropy=9.2\tlearning-rate=0.0001`, `Epoch[0] Batch [0-50]`",
     TR("as printed, over the epochs")},
    {TR("containers, loggers"),
     "`{\"log\": \"step: 1 loss: 2.5\\n\", \"stream\": \"stdout\"}`, `{\"record\": {\"message\": "
     "\"…\"}}`",
     TR("of the line inside")},
    {TR("Markdown, model cards"),
     TR("the table with a step and a loss: `| Training Loss | Epoch | Step |`"), TR("its column")},
    {TR("MLPerf"),
     "`:::MLLOG {\"key\": \"train_loss\", \"value\": 3.2, \"metadata\": {\"samples_count\": 192}}`",
     TR("samples")},
    {TR("Megatron, FlagScale, MindSpeed reference values"),
     "`{\"lm loss\": {\"values\": {\"1\": 10.49, \"5\": 9.5}}}`", TR("the keys, else numbered")},
    {TR("lists as Python prints them"),
     "`losses = [2.5, 2.25]`, `train_loss: [(10, 2.5), (20, 2.25)]`", TR("numbered")},
    {TR("sentences"), "`Training loss at step 10 is 2.5`, `Average loss for epoch 3: 2.5`",
     TR("as printed")},
    {"SageMaker", "`#quality_metric: host=algo-1, epoch=1, train loss <loss>=2.5`",
     TR("the epoch")},
    {TR("Aim, Plotly"), "`{\"data\": [{\"name\": \"loss\", \"x\": [0, 10], \"y\": [2.5, 2.25]}]}`",
     TR("`x`")},
    {TR("ClearML"), "`{\"loss\": {\"train\": {\"x\": [0, 10], \"y\": [10.5, 9.5]}}}`", TR("`x`")},
    {TR("histories as JSON"),
     "`{\"history\": [{\"step\": 1, \"loss\": 2.5}]}`, `{\"10\": {\"loss\": 2.5}}`, `{\"train\": "
     "{\"loss\": [2.5, 2.2]}}`",
     TR("`step`, the keys, else numbered")},
    {TR("tables of pandas, pairs"),
     "`{\"columns\": [\"step\", \"loss\"], \"data\": [[10, 2.5]]}`, `{\"loss\": [[10, 2.5]]}`",
     TR("its column, the index, the first of a pair")},
    {TR("a value a row or a record"),
     "`run,step,metric,value`, `{\"key\": \"loss\", \"value\": 2.5, \"step\": 1}`",
     TR("as printed")},
    {TR("MLflow"), TR("`1700000000000 2.5 0` in `metrics/loss`; a folder with `metrics/` is a run"),
     TR("third column")},
    {TR("Detectron2, MMEngine, LLaMA-Factory"), TR("one JSON object a line"),
     TR("`iteration`, `step`, `current_steps`")},
    {TR("EDM, StyleGAN 3"),
     "`tick 1  kimg 12.0  loss 2.5`, `{\"Loss/loss\": {\"num\": 64, \"mean\": 2.5}, "
     "\"Progress/tick\": {\"mean\": 1}}`",
     TR("the tick")},
    {TR("mmcv, DLLogger, RLlib"),
     "`{\"mode\": \"train\", \"epoch\": 1, \"iter\": 50, \"loss\": 2.5}`, `{\"step\": [0, 10], "
     "\"data\": {}}`",
     TR("as printed, over the epochs")},
    {TR("fastText"), "`Progress:  1.7% words/sec/thread: 9 lr: 0.09 avg.loss: 2.5`",
     TR("numbered")},
};

int command_help_logs(void)
{
    printf("%s\n", tr("What is read, told by its content:"));
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        printf("  %s\n      ", tr(sources[i].source));
        terminal_print(stdout, 6, 6, tr(sources[i].taken));
    }
    printf("\n%s\n", tr("Forms, each with a line of it and what its step is:"));
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        printf("  %s\n      %s\n      %s: %s\n", tr(forms[i].form), tr(forms[i].line), tr("step"),
               tr(forms[i].step));
    putchar('\n');
    terminal_print(stdout, 0, 0,
                   tr("Any other form: --pattern, --patterns or --columns of 'vernier curves' "
                      "(docs/curves.md)."));
    return 0;
}
