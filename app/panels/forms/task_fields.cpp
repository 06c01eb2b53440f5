// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panels/forms/task_fields.h"

#include <QtGlobal>

#include "backend/task/compile.h"

namespace divisi::panels {

namespace {

using task::TaskSpec;

bool trains(const TaskSpec& spec) { return !task::is_batch(spec); }
bool is_onnx(const TaskSpec& spec) { return spec.model.zoo.empty(); }
bool trains_onnx(const TaskSpec& spec) { return trains(spec) && is_onnx(spec); }
bool has_file(const TaskSpec& spec) { return spec.data.kind != "synthetic"; }
bool is_images(const TaskSpec& spec) { return spec.data.kind == "images"; }
bool is_csv(const TaskSpec& spec) { return spec.data.kind == "csv"; }
bool is_synthetic(const TaskSpec& spec) { return spec.data.kind == "synthetic"; }
bool has_classes(const TaskSpec& spec) { return is_csv(spec) || is_synthetic(spec); }
bool cuts_a_share(const TaskSpec& spec) { return has_file(spec) && spec.data.validation.empty(); }
bool is_sgd(const TaskSpec& spec) { return trains(spec) && spec.train.optimizer == "sgd"; }
bool is_adamw(const TaskSpec& spec) { return trains(spec) && spec.train.optimizer == "adamw"; }
bool is_step(const TaskSpec& spec) { return trains(spec) && spec.train.lr_schedule == "step"; }
bool decays(const TaskSpec& spec) { return trains(spec) && spec.train.lr_schedule != "constant"; }
bool evaluates(const TaskSpec& spec) { return trains(spec) && spec.train.eval_every > 0; }

#define DIVISI_SLOT(member) [](TaskSpec& spec) -> Slot { return &spec.member; }

std::vector<TaskField> task_section_fields() {
    return {
        {"task.name",
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "Task"),
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "Name"),
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "Up to 64 letters, digits, '-', '_' and '.'"),
         DIVISI_SLOT(task.name),
         {}},
        {"task.kind",
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "Task"),
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "What it does"),
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm",
                           "train: trains a model. batch: runs a trained model on each sample of a data set once and "
                           "writes its predictions to a file"),
         DIVISI_SLOT(task.kind),
         {"train", "batch"}},
    };
}

std::vector<TaskField> model_fields() {
    const char* model = QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "Model");
    return {
        {"model.onnx",
         model,
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "ONNX file"),
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm",
                           "The model file, from torch.onnx.export or another exporter; node:/path is on a node"),
         DIVISI_SLOT(model.onnx),
         {},
         is_onnx,
         true},
        {"model.symbols",
         model,
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "Open sizes"),
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm",
                           "Sizes that the file leaves open, as name=4, separated by commas"),
         DIVISI_SLOT(model.symbols),
         {},
         is_onnx},
        {"model.inputs",
         model,
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "Inputs"),
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm",
                           "Data column of each input of the model, as input=column, "
                           "separated by commas"),
         DIVISI_SLOT(model.inputs),
         {},
         is_onnx},
        {"model.output",
         model,
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "Output"),
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "The output that the loss reads; empty: the first"),
         DIVISI_SLOT(model.output),
         {},
         is_onnx},
        {"model.from",
         model,
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "Start from version"),
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm",
                           "Version whose weights the training starts from: its number or the beginning of its hash; "
                           "empty: the model's initial weights"),
         DIVISI_SLOT(model.from),
         {},
         trains},
        {"model.frozen",
         model,
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "Frozen weights"),
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "Names of weights to freeze, or prefixes ending in *"),
         DIVISI_SLOT(model.frozen),
         {},
         trains_onnx},
    };
}

std::vector<TaskField> data_fields() {
    const char* data = QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "Data");
    return {
        {"data.kind",
         data,
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "Kind"),
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm",
                           "text: bytes of a file. images: with labels. csv: a table. synthetic: generated samples"),
         DIVISI_SLOT(data.kind),
         {"text", "images", "csv", "synthetic"}},
        {"data.path",
         data,
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "File or folder"),
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "Training data; node:/path is on the node that loads the data"),
         DIVISI_SLOT(data.path),
         {},
         has_file,
         true},
        {"data.labels",
         data,
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "Labels"),
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "IDX file of labels; empty for folders of PNG files"),
         DIVISI_SLOT(data.labels),
         {},
         is_images,
         true},
        {"data.targets",
         data,
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "Target columns"),
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "Names of the columns to predict, separated by commas"),
         DIVISI_SLOT(data.targets),
         {},
         is_csv},
        {"data.classes",
         data,
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "Classes"),
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm",
                           "Number of classes; 0: taken from the data, or none for regression"),
         DIVISI_SLOT(data.classes),
         {},
         has_classes},
        {"data.samples",
         data,
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "Samples"),
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "Samples of the synthetic data set"),
         DIVISI_SLOT(data.samples),
         {},
         is_synthetic},
        {"data.validation",
         data,
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "Validation file"),
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "Empty: a share of the training data, or none"),
         DIVISI_SLOT(data.validation),
         {},
         has_file,
         true},
        {"data.validation_share",
         data,
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "Validation share"),
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "Share of the data taken from its end; 0: none, 0.1 is usual"),
         DIVISI_SLOT(data.validation_share),
         {},
         cuts_a_share},
    };
}

std::vector<TaskField> length_fields() {
    const char* train = QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "Training");
    return {
        {"train.steps",
         train,
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "Steps"),
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "Number of batches to train on; each step uses one batch"),
         DIVISI_SLOT(train.steps),
         {},
         trains},
        {"train.batch",
         train,
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "Batch"),
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "Number of samples in one step"),
         DIVISI_SLOT(train.batch),
         {}},
        {"train.microbatches",
         train,
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "Micro-batches"),
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm",
                           "Number of equal parts of a batch; more parts keep the stages "
                           "busier"),
         DIVISI_SLOT(train.microbatches),
         {},
         trains},
    };
}

std::vector<TaskField> optimizer_fields() {
    const char* train = QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "Training");
    return {
        {"train.optimizer",
         train,
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "Optimizer"),
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "sgd follows the gradient, adamw adapts to each weight"),
         DIVISI_SLOT(train.optimizer),
         {"sgd", "adamw"},
         trains},
        {"train.lr",
         train,
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "Learning rate"),
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "Size of a step; 0.001 is usual for adamw, 0.05 for sgd"),
         DIVISI_SLOT(train.lr),
         {},
         trains},
        {"train.momentum",
         train,
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "Momentum"),
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm",
                           "Share of the previous step that is added to the next step; 0: none, 0.9 is usual"),
         DIVISI_SLOT(train.momentum),
         {},
         is_sgd},
        {"train.beta1",
         train,
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "Beta 1"),
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "Decay rate of the mean of the gradients; 0.9 is usual"),
         DIVISI_SLOT(train.beta1),
         {},
         is_adamw},
        {"train.beta2",
         train,
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "Beta 2"),
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm",
                           "Decay rate of the mean of the squared gradients; 0.999 is "
                           "usual"),
         DIVISI_SLOT(train.beta2),
         {},
         is_adamw},
        {"train.weight_decay",
         train,
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "Weight decay"),
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm",
                           "Part of each weight that is subtracted at each step; 0: none, 0.01 is usual for adamw"),
         DIVISI_SLOT(train.weight_decay),
         {},
         trains},
        {"train.nonfinite",
         train,
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "Loss is not a number"),
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm",
                           "stop: the task fails at that step. continue: the task keeps "
                           "training"),
         DIVISI_SLOT(train.nonfinite),
         {"stop", "continue"},
         trains},
    };
}

std::vector<TaskField> course_fields() {
    const char* train = QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "Training");
    return {
        {"train.lr_schedule",
         train,
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "Rate schedule"),
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm",
                           "Schedule of the learning rate: constant, or falling along a cosine, a line or in steps"),
         DIVISI_SLOT(train.lr_schedule),
         {"constant", "cosine", "linear", "step"},
         trains},
        {"train.warmup_steps",
         train,
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "Warm-up steps"),
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm",
                           "Number of first steps in which the learning rate rises from 0; "
                           "0: none"),
         DIVISI_SLOT(train.warmup_steps),
         {},
         trains},
        {"train.decay_steps",
         train,
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "Decay steps"),
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm",
                           "Steps until the learning rate has decayed, or between two drops; 0: all steps"),
         DIVISI_SLOT(train.decay_steps),
         {},
         decays},
        {"train.decay_rate",
         train,
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "Decay rate"),
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm",
                           "Factor of the learning rate at each step of its schedule; 0.1 is usual"),
         DIVISI_SLOT(train.decay_rate),
         {},
         is_step},
        {"train.clip",
         train,
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "Gradient clip"),
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm",
                           "Largest norm of all gradients together; 0: no clipping, 1 is usual"),
         DIVISI_SLOT(train.clip),
         {},
         trains},
        {"train.loss",
         train,
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "Loss"),
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "cross_entropy: for classes. mse: squared error, for numbers"),
         DIVISI_SLOT(train.loss),
         {"cross_entropy", "mse"}},
        {"train.seed",
         train,
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "Seed"),
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "Random seed; the same seed gives the same losses on every cut"),
         DIVISI_SLOT(train.seed),
         {}},
    };
}

std::vector<TaskField> validation_fields() {
    const char* train = QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "Training");
    return {
        {"train.eval_every",
         train,
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "Validate every"),
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "Steps between validations; 0: never"),
         DIVISI_SLOT(train.eval_every),
         {},
         trains},
        {"train.eval_batches",
         train,
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "Validation batches"),
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "Batches per validation; 0: the whole validation part"),
         DIVISI_SLOT(train.eval_batches),
         {},
         evaluates},
        {"train.recompute",
         train,
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "Recompute activations"),
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm",
                           "Recompute activations in the backward pass: less memory, more work"),
         DIVISI_SLOT(train.recompute),
         {},
         trains},
    };
}

std::vector<TaskField> batch_fields() {
    const char* batch = QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "Results");
    return {
        {"batch.output",
         batch,
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "File"),
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm",
                           "Where results are saved by default; empty: NAME-results.csv beside the task file"),
         DIVISI_SLOT(batch.output),
         {},
         task::is_batch},
        {"batch.values",
         batch,
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "For each sample"),
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "outputs: also writes all values of the model's output"),
         DIVISI_SLOT(batch.values),
         {"prediction", "outputs"},
         task::is_batch},
        {"batch.labels",
         batch,
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "The data have labels"),
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm",
                           "The results also contain the target and the loss of each "
                           "sample"),
         DIVISI_SLOT(batch.labels),
         {},
         task::is_batch},
        {"batch.group",
         batch,
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "Reuse loaded processes"),
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm",
                           "If the previous batch had the same model and cuts, its processes also run this batch; the "
                           "results are the same"),
         DIVISI_SLOT(batch.group),
         {},
         task::is_batch},
    };
}

std::vector<TaskField> split_fields() {
    const char* split = QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "Split");
    return {
        {"split.schedule",
         split,
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "Schedule"),
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm",
                           "Order of the stages' work; 1f1b holds fewer activations than gpipe"),
         DIVISI_SLOT(split.schedule),
         {"1f1b", "gpipe"},
         trains},
        {"place.device",
         split,
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "Device"),
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm",
                           "Device of the instances: cpu, cuda, or one of several such as cuda:1"),
         DIVISI_SLOT(place.device),
         {}},
        {"place.threads",
         split,
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "Threads"),
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm",
                           "Threads of each instance; their sum on a node should not exceed its cores"),
         DIVISI_SLOT(place.threads),
         {}},
    };
}

std::vector<TaskField> fault_fields() {
    const char* faults = QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "Faults");
    return {
        {"faults.answer",
         faults,
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "When a process or machine fails"),
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm",
                           "recover: the task resumes from its last checkpoint. wait: it also resumes, but waits for "
                           "its own nodes. fail: the task ends"),
         DIVISI_SLOT(faults.answer),
         {"recover", "wait", "fail"}},
        {"checkpoint.every",
         faults,
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "Checkpoint every"),
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "A number of steps, a time (30s, 5min, 2h), auto or never"),
         DIVISI_SLOT(checkpoint.every),
         {},
         trains},
        {"checkpoint.keep",
         faults,
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "Checkpoints kept"),
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "Number of checkpoints to keep; older ones are removed"),
         DIVISI_SLOT(checkpoint.keep),
         {},
         trains},
        {"place.standby",
         faults,
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm", "Standbys"),
         QT_TRANSLATE_NOOP("divisi::panels::TaskForm",
                           "Number of idle processes, each of which can replace a failed process at once; 0: none"),
         DIVISI_SLOT(place.standby),
         {},
         trains},
    };
}

#undef DIVISI_SLOT

}  // namespace

const std::vector<TaskField>& task_fields() {
    static const std::vector<TaskField> fields = [] {
        std::vector<TaskField> all = task_section_fields();
        for (auto part : {model_fields(), data_fields(), length_fields(), optimizer_fields(), course_fields(),
                          validation_fields(), batch_fields(), split_fields(), fault_fields()})
            all.insert(all.end(), part.begin(), part.end());
        return all;
    }();
    return fields;
}

}  // namespace divisi::panels
