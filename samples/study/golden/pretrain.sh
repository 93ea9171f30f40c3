#!/bin/bash
# Golden: PyTorch on GPUs.
torchrun pretrain_gpt.py \
    --num-layers 2 --hidden-size 1024 --ffn-hidden-size 3584 --num-attention-heads 16 \
    --seq-length 4096 --max-position-embeddings 4096 --vocab-size 131072 \
    --norm-epsilon 1e-5 --attention-dropout 0.0 --hidden-dropout 0.0 \
    --global-batch-size 32 --lr 1e-4 --min-lr 1e-6 --lr-decay-style cosine \
    --adam-beta1 0.9 --adam-beta2 0.95 --adam-eps 1e-8 --weight-decay 0.1 --clip-grad 1.0 \
    --bf16 --seed 42
